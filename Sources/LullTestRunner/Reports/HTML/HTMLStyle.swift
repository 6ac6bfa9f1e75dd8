/// The style sheet of the HTML report, for light and dark mode.
enum HTMLStyle {
  static let text = colours + page + tests + details + small

  private static let colours = """
    :root {
      color-scheme: light dark;
      --ground: #f6f6f4; --sheet: #ffffff; --ink: #1c1e21; --quiet: #5b6068; --line: #dfdfdb;
      --soft: #f0f0ed; --passed: #16734a; --failed: #b3243f; --skipped: #7d5a00; --link: #1d57b8;
      --failed-soft: #fdf0f1; --want: #1d57b8; --want-soft: #e5eefc; --got-soft: #fbe3e6;
      --fine: #4c9a76; --moved: #6f86b8; --refused: #c98a1b; --broken: #c4435c;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #131518; --sheet: #1b1e22; --ink: #e4e6e9; --quiet: #a2a8b1; --line: #32363c;
        --soft: #24282d; --passed: #63cf9a; --failed: #ff8c99; --skipped: #e0b356; --link: #8ab4f8;
        --failed-soft: #2a1d21; --want: #9cc2ff; --want-soft: #1d2c45; --got-soft: #46222a;
        --fine: #4fa67d; --moved: #7f97cc; --refused: #d79a33; --broken: #e0647a;
      }
    }

    """

  private static let page = """
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; padding: 0 1.25rem 2rem; max-width: 75rem; background: var(--ground); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
      overflow-wrap: anywhere;
    }
    pre, .method, .status, .url, table { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    a { color: var(--link); }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
    .skip, .unseen { position: absolute; left: -200vw; }
    .skip:focus { left: 1rem; top: .5rem; background: var(--sheet); padding: .25rem .75rem; }
    .quiet, .scale { color: var(--quiet); font-weight: 400; font-size: .8125rem; }
    header { padding: 2rem 0 0; }
    .program { margin: 0; color: var(--quiet); font-size: .875rem; letter-spacing: .02em; }
    h1 { margin: 0 0 1rem; font-size: 1.75rem; line-height: 1.25; font-weight: 650; }
    header.failed h1 { color: var(--failed); }
    header.passed h1 { color: var(--passed); }
    h2 { margin: 2rem 0 .75rem; font-size: 1.125rem; font-weight: 650; }
    dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 0 0 1rem; }
    dl div { display: flex; flex-direction: column-reverse; }
    dt { color: var(--quiet); font-size: .8125rem; }
    dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
    dl .failed dd, dl .unreadable dd { color: var(--failed); }
    dl .skipped dd, dl .not-run dd { color: var(--skipped); }
    .share { display: flex; gap: 2px; height: 6px; border-radius: 3px; overflow: hidden; background: var(--soft); }
    .share .failed { background: var(--failed); min-width: 4px; }
    .share .skipped { background: var(--skipped); min-width: 4px; }
    .share .passed { background: var(--passed); }
    nav ul { list-style: none; margin: 0; padding: 0; }
    nav li { padding: .5rem .75rem; border-left: 3px solid var(--failed); background: var(--sheet); margin-bottom: .375rem; }
    nav li a { font-weight: 600; }
    nav .line { font-size: .875rem; }
    .bar { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1rem; }
    label { font-size: .875rem; color: var(--quiet); cursor: pointer; padding: .25rem 0; }
    footer { margin-top: 2.5rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: .8125rem; }

    """

  private static let tests = """
    .file { background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; margin-bottom: 1rem; overflow: hidden; }
    .file h3 {
      margin: 0; padding: .625rem 1rem; font-size: .9375rem; font-weight: 600; background: var(--soft);
      display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; align-items: baseline;
    }
    .test { border-top: 1px solid var(--line); }
    div.test, summary { display: grid; grid-template-columns: 1.25rem 1fr auto; gap: 0 .625rem; padding: .4375rem 1rem; }
    summary { cursor: pointer; list-style: none; }
    summary::-webkit-details-marker { display: none; }
    summary:hover { background: var(--soft); }
    summary:focus-visible { outline-offset: -2px; }
    summary .name::after { content: "▸"; color: var(--quiet); font-size: .75rem; margin-left: .5rem; display: inline-block; }
    details[open] > summary .name::after { transform: rotate(90deg); }
    .sign { font-weight: 700; text-align: center; }
    .passed > .sign, .passed > summary .sign { color: var(--passed); }
    .failed > .sign, .failed > summary .sign { color: var(--failed); }
    .skipped > .sign, .skipped .name { color: var(--skipped); }
    .test.failed .name { font-weight: 600; }
    .test.failed { box-shadow: inset 3px 0 var(--failed); }
    .time { display: flex; align-items: center; gap: .625rem; font-size: .8125rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
    .time b { min-width: 4.5em; text-align: right; font-weight: 500; }
    .held { color: var(--quiet); }
    .length { width: 5rem; height: 4px; border-radius: 2px; background: var(--soft); overflow: hidden; }
    .length i { display: block; height: 100%; min-width: 1px; background: var(--quiet); }
    body:has(#failed-only:checked) .test:not(.failed), body:has(#failed-only:checked) .file:not(.has-failed) { display: none; }

    """

  private static let details = """
    .details { padding: .25rem 1rem 1rem 2.875rem; }
    .details h4 { margin: 1rem 0 .375rem; font-size: .875rem; font-weight: 600; }
    .details pre { margin: 0; padding: .75rem; border-radius: 6px; background: var(--soft); font-size: .8125rem; line-height: 1.55; overflow-x: auto; overflow-wrap: normal; tab-size: 4; }
    .failure { background: var(--failed-soft); border-radius: 6px; padding: .625rem .75rem; margin-top: .5rem; }
    .failure .problem { margin: 0; font-weight: 600; font-size: .9375rem; }
    .failure .long { font-weight: 400; font-size: .875rem; }
    .failure pre { background: none; padding: .5rem 0 0; }
    .want, .got { border-radius: 3px; padding: 0 .2em; font-weight: 500; }
    .want { color: var(--want); background: var(--want-soft); }
    .got { color: var(--failed); background: var(--got-soft); }
    .trace, .source { color: var(--quiet); }
    .mark { color: var(--failed); font-weight: 700; }
    .note { margin: .5rem 0 0; font-size: .875rem; color: var(--skipped); }
    .details .printed { max-height: 30rem; overflow-y: auto; }
    .waterfall { list-style: none; margin: 0; padding: 0; font-size: .8125rem; }
    .waterfall li {
      display: grid; grid-template-columns: 4.25em minmax(10rem, 5fr) 4em minmax(6rem, 4fr) 12.5em; gap: 0 .75rem;
      align-items: center; padding: .25rem 0; border-top: 1px solid var(--line);
    }
    .waterfall li:first-child { border-top: 0; }
    .method { font-weight: 600; overflow: hidden; text-overflow: ellipsis; }
    .status { text-align: right; font-weight: 600; }
    .refused .status { color: var(--skipped); }
    .broken .status { color: var(--failed); }
    .cancelled .status, .cancelled .why { color: var(--quiet); }
    .track { position: relative; height: 12px; border-radius: 3px; background: var(--soft); overflow: hidden; }
    .track i { position: absolute; top: 0; bottom: 0; min-width: 4px; border-radius: 2px; background: var(--fine); max-width: 100%; }
    .track i[style^="left:100"] { margin-left: -4px; }
    .moved .track i { background: var(--moved); }
    .refused .track i { background: var(--refused); }
    .broken .track i { background: var(--broken); }
    .cancelled .track i { background: var(--quiet); }
    .when { color: var(--quiet); text-align: right; font-variant-numeric: tabular-nums; }
    .when b { color: var(--ink); font-weight: 500; }
    .why { grid-column: 2 / -1; color: var(--failed); }
    .table { overflow-x: auto; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; margin-bottom: 1rem; }
    table { border-collapse: collapse; width: 100%; font-size: .8125rem; }
    caption { text-align: left; padding: .625rem 1rem; font: 600 .9375rem/1.5 system-ui, sans-serif; background: var(--soft); }
    th, td { text-align: left; vertical-align: top; padding: .375rem 1rem; border-top: 1px solid var(--line); font-weight: 400; overflow-wrap: normal; }
    thead th { color: var(--quiet); font-family: system-ui, sans-serif; }
    tbody th { font-weight: 600; }
    .unused th, .unused td:nth-child(2) { color: var(--failed); }

    """

  private static let small = """
    @media (max-width: 48rem) {
      body { padding: 0 .75rem 1.5rem; }
      h1 { font-size: 1.375rem; }
      dl { gap: .5rem 1.25rem; }
      div.test, summary { grid-template-columns: 1.25rem 1fr; padding: .5rem .75rem; }
      .time { grid-column: 2; }
      .time b { min-width: 0; order: -1; }
      .length { width: 3rem; }
      .details { padding: 0 .75rem .75rem; }
      .waterfall li { align-items: start; grid-template-columns: auto 1fr auto; gap: .125rem .625rem; padding: .5rem 0; }
      .track { grid-column: 1 / -1; grid-row: 2; }
      .when { grid-column: 1 / -1; }
      .why { grid-column: 1 / -1; }
    }
    @media print {
      .file, .table { break-inside: avoid; }
      .bar label, .skip { display: none; }
    }

    """
}
