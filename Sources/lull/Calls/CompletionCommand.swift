import LullArguments
import LullHost

extension Command {
  static let completion = Command(
    "completion", "print a completion script for a shell", .help,
    forms: [("completion SHELL", "print a completion script for bash, zsh or fish")],
    spec: { CompletionCommand.spec }, words: .of(CompletionScript.allCases.map(\.rawValue))
  ) { words, _ throws(CommandEnd) in try CompletionCommand(words.dropFirst()).run() }
}

/// `lull completion bash|zsh|fish`: prints the completion script of a shell.
struct CompletionCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull completion",
      description: """
        Prints a completion script for bash, zsh or fish.

        The script completes commands, options, APIs, calls and parameters. For this,
        API files run in the sandbox, unless they are trusted (lull trust).
        """,
      arguments: [
        .init(
          positional: "SHELL", help: "bash, zsh or fish.", isRequired: true)
      ],
      examples: [
        "echo 'source <(lull completion bash)' >>~/.bashrc",
        #"lull completion zsh >"${fpath[1]}/_lull""#,
        "lull completion fish >~/.config/fish/completions/lull.fish",
      ])
  }

  private let script: CompletionScript

  /// - Parameter words: The arguments after `completion`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let word = try CompletionCommand.spec.read(words, for: .completion).text("SHELL")
    guard let script = CompletionScript(rawValue: word ?? "") else {
      throw .wrongUsage(
        "there is no completion for '\(word ?? "")': choose bash, zsh or fish", .completion)
    }
    self.script = script
  }

  func run() -> Int32 { Output.write(script.text) ? 0 : 1 }
}

/// The scripts for completion in shells. Each gets its candidates from `lull --complete`.
enum CompletionScript: String, CaseIterable {
  case bash
  case zsh
  case fish

  var text: String {
    switch self {
    case .bash:
      #"""
      # Completion of lull for bash: source <(lull completion bash)
      _lull() {
        local line=${COMP_LINE:0:COMP_POINT} word="" quote="" begun="" char i
        local -a words
        # Bash ends words at = and : too, and leaves quotes and backslashes in them.
        for ((i = 0; i < ${#line}; i++)); do
          char=${line:i:1}
          if [[ $char == "$quote" ]]; then
            quote=""
          elif [[ -z $quote && $char == [\"\'] ]]; then
            quote=$char begun=1
          elif [[ $char == \\ && $quote != \' ]]; then
            ((i++))
            char=${line:i:1} begun=1
            [[ -n $quote && $char != [\"\\\$\`] ]] && word+=\\
            word+=$char
          elif [[ -z $quote && $char == [[:space:]] ]]; then
            [[ -n $begun ]] && words+=("$word")
            word="" begun=""
          else
            word+=$char begun=1
          fi
        done
        words+=("$word")
        COMPREPLY=()
        compopt -o nosort 2>/dev/null
        local typed=$word cut=""
        # Bash keeps the text up to the last = or :, and the text before the last @.
        if [[ -z $quote && $typed == *[=:@]* ]]; then
          cut=${typed%"${typed##*[=:@]}"}
          char=${cut: -1}
          if [[ ${COMP_WORDBREAKS} != *"$char"* ]]; then
            cut=""
          elif [[ $char == @ ]]; then
            cut=${cut%@}
          fi
        fi
        local reply
        while IFS= read -r reply; do
          if [[ $reply == "//files" ]]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${typed#"$cut"}")
            continue
          fi
          word=${reply%%$'\t'*}
          # Escape the reply, so that it is one word; within quotes, only characters that end them.
          case $quote in
            "") printf -v word %q "${word#"$cut"}" ;;
            \') [[ $word == *\'* ]] && continue ;;
            *) word=$(sed 's/["$`\\]/\\&/g' <<<"$word") ;;
          esac
          COMPREPLY+=("$word")
        done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
        [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace 2>/dev/null
        return 0
      }
      complete -F _lull lull

      """#
    case .zsh:
      #"""
      #compdef lull
      # Completion of lull for zsh: lull completion zsh >"${fpath[1]}/_lull"
      _lull() {
        # Without an open quote, which is not part of the word.
        local reply typed=$PREFIX
        local -a found
        [[ $compstate[quote] == "'" ]] || typed=${(Q)typed}
        for reply in "${(@f)$(lull --complete "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)}"; do
          if [[ $reply == "//files" ]]; then
            [[ $words[CURRENT] == --*=* ]] && compset -P '*='
            _files
          elif [[ -n $reply ]]; then
            local word=${reply%%$'\t'*} text=""
            [[ $reply == *$'\t'* ]] && text=${reply#*$'\t'}
            found+=("${word//:/\\:}${text:+:$text}")
          fi
        done
        (( ${#found} )) && _describe -V lull found
      }
      if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _lull "$@"; else compdef _lull lull; fi

      """#
    case .fish:
      #"""
      # Completion of lull for fish: lull completion fish >~/.config/fish/completions/lull.fish
      function __lull_complete
        set -l typed (commandline -ct)
        # An open quote is not part of the word.
        set -l plain (string unescape -- $typed 2>/dev/null; or string replace -r -- '^["\']' '' $typed)
        set -l words (commandline -opc) "$plain"
        for reply in (lull --complete $words[2..-1] 2>/dev/null)
          if test "$reply" = //files
            set -l option (string match -r -- '^--[^=]*=' $typed)
            __fish_complete_path (string replace -r -- '^--[^=]*=' '' $typed) | string replace -r '^' -- "$option"
          else
            echo $reply
          end
        end
      end
      complete -c lull -f -k -a '(__lull_complete)'

      """#
    }
  }
}
