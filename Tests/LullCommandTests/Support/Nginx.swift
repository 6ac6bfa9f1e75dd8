import LullLibC
import LullTestSupport

/// Debian's nginx: a server with TLS and HTTP/2 that asks for a certificate, and one behind a socket of
/// the machine. Ends with this object.
final class Nginx {
  private let child: Child
  private let folder: TemporaryFolder
  /// `https://localhost:PORT`, which says who asks and by which protocol.
  let url: String

  /// Of the authority, or of a client: `ca.pem`, `client.pem`, `client.key`.
  func file(_ name: String) -> String { "\(folder.path)/\(name)" }
  /// Its server says the host it was asked for.
  var socket: String { file("x.sock") }

  init() throws {
    folder = try TemporaryFolder()
    let made = try shell(
      """
      set -e
      new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "$@"; }
      new -x509 -days 2 -subj /CN=authority -keyout ca.key -out ca.pem
      for name in server client; do
        new -subj /CN=$name -keyout $name.key -out $name.csr
        openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
          -extfile <(echo subjectAltName=DNS:localhost) -out $name.pem
      done
      """, folder: folder.path)
    guard made.code == 0, let port = RawSocket.freePorts(1).first else {
      throw Child.Failure(description: "no certificates: \(made.errors)")
    }
    let path = folder.path
    try folder.write(
      "nginx.conf",
      """
      daemon off; master_process off; pid \(path)/pid; error_log \(path)/errors;
      events { }
      http {
        access_log off; client_body_temp_path \(path)/b; proxy_temp_path \(path)/p;
        fastcgi_temp_path \(path)/f; uwsgi_temp_path \(path)/u; scgi_temp_path \(path)/s;
        default_type text/plain;
        server { listen unix:\(path)/x.sock; return 200 "socket $http_host"; }
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate \(path)/server.pem; ssl_certificate_key \(path)/server.key;
          ssl_client_certificate \(path)/ca.pem; ssl_verify_client optional;
          return 200 "$server_protocol $ssl_client_verify $ssl_client_s_dn";
        }
      }
      """)
    url = "https://localhost:\(port)"
    child = try Child(
      "/usr/sbin/nginx", ["-p", path, "-e", "\(path)/errors", "-c", "\(path)/nginx.conf"])
    let socket = "\(path)/x.sock"
    try child.wait(until: "it listens") {
      access(socket, F_OK) == 0 && RawSocket.isAnswering(port, within: 1)
    }
  }

  deinit { child.send(15) }
}
