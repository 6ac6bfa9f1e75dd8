/// Certificates as servers show them, good and bad, made by openssl at the first use of nginx.
enum Certificates {
  /// The bad ones; each is for the name itself below `localhost`, but for what makes it bad.
  static let bad = ["expired", "elsewhere", "unknown", "self-signed"]

  /// Writes `authority.pem`, and `good`, `client` and each of `bad` as NAME.pem and NAME.key, and the key
  /// of `client` with a passphrase as `locked.key`; false if openssl cannot.
  static func make(in directory: TemporaryDirectory) -> Bool {
    directory.write("make", script.utf8)
    return ChildProcess("cd \(directory.path) && sh -e ./make >openssl.log 2>&1")?.wait() == 0
  }

  private static let script = """
    # NAME and what else openssl is to be told
    with_key() {
      name=$1
      shift
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $name.key \\
        -subj /CN=$name "$@"
    }
    authority() { with_key $1 -x509 -days 2 -out $1.pem; }
    # NAME, who vouches for it, for which names, for how many days
    leaf() {
      with_key $1 -out $1.csr
      echo subjectAltName=$3 >$1.ext
      openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -CAcreateserial -days $4 \\
        -extfile $1.ext -out $1.pem
    }
    authority authority
    authority stranger
    leaf good authority DNS:localhost,IP:127.0.0.1 2
    leaf expired authority DNS:expired.localhost -1
    leaf elsewhere authority DNS:elsewhere.invalid 2
    leaf client authority DNS:client.localhost 2
    openssl ec -in client.key -aes128 -passout pass:secret -out locked.key
    leaf unknown stranger DNS:unknown.localhost 2
    with_key self-signed -x509 -days 2 -addext subjectAltName=DNS:self-signed.localhost \\
      -out self-signed.pem
    """
}
