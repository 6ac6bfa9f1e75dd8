import LullLibC
import LullTestSupport

/// Debian's nginx on free ports: two plain servers, and one with TLS and HTTP/2 that shows another
/// certificate to each of several names.
final class NginxServer: Sendable {
  /// Started at first use, ends with the process.
  static let shared = NginxServer()

  static let largeSize = 4 << 20

  let port: UInt16
  let otherPort: UInt16
  let tlsPort: UInt16
  /// Speaks HTTP/2 without TLS, and nothing else.
  let plainHTTP2Port: UInt16
  /// The certificate of the authority that vouches for `localhost` and 127.0.0.1.
  let authority: String
  private let process: ChildProcess

  var url: String { "http://127.0.0.1:\(port)" }
  /// The same machine, another origin.
  var otherURL: String { "http://127.0.0.1:\(otherPort)" }
  /// A file beside the authority's, as `Certificates` has made it.
  func certificate(_ name: String) -> String {
    authority.replacing("authority.pem", with: name)
  }
  var tlsURL: String { "https://localhost:\(tlsPort)" }

  /// nil if nginx or openssl is missing, or does not start.
  private init?() {
    guard let directory = TemporaryDirectory() else { return nil }
    let path = directory.path
    authority = path + "/authority.pem"
    guard Certificates.make(in: directory) else { return nil }
    directory.write("large", (0..<NginxServer.largeSize).map { UInt8(truncatingIfNeeded: $0 >> 3) })

    // A port found free may be taken by somebody else before nginx has it: then others are tried.
    for _ in 0..<5 {
      let ports = RawSocket.freePorts(4)
      guard ports.count == 4 else { continue }
      let configuration = NginxServer.configuration(path, ports[0], ports[1], ports[2], ports[3])
      directory.write("nginx.conf", configuration.utf8)
      // The shell lives as long as its input, which ends with this process, and takes all along.
      let command =
        "/usr/sbin/nginx -p \(path) -e \(path)/error.log -c \(path)/nginx.conf >/dev/null 2>&1 &"
        + " read line; kill $!; wait; rm -rf \(path)"
      guard let process = ChildProcess(command) else { return nil }
      if RawSocket.isAnswering(ports[0], within: 5) {
        (port, otherPort, tlsPort) = (ports[0], ports[1], ports[2])
        plainHTTP2Port = ports[3]
        self.process = process
        return
      }
      process.hangUp()
      process.wait()
    }
    return nil
  }

  private static func configuration(
    _ path: String, _ port: UInt16, _ other: UInt16, _ tls: UInt16, _ plainHTTP2: UInt16
  ) -> String {
    let echo = """
      return 200 "$request_method|$content_type|$content_length|$http_authorization|\
      $http_x_token|$http_accept|$http_user_agent|$uri";
      """
    return """
      daemon off; master_process off; pid \(path)/nginx.pid; error_log \(path)/error.log;
      events { worker_connections 1024; }
      http {
        access_log off; default_type text/plain;
        client_body_temp_path \(path)/b; proxy_temp_path \(path)/p; fastcgi_temp_path \(path)/f;
        uwsgi_temp_path \(path)/u; scgi_temp_path \(path)/s;
        gzip on; gzip_min_length 10; gzip_types *; keepalive_requests 1000000;
        add_header x-connection $connection always;
        add_header x-requests $connection_requests always;
        server {
          listen 127.0.0.1:\(port);
          absolute_redirect off;
          location = /json { default_type application/json; return 200 '{"answer":42}'; }
          location /few/ { keepalive_requests 3; return 200 'few'; }
          location /echo { \(echo) }
          location = /empty { return 204; }
          location = /missing { return 404 'no such thing'; }
          location = /broken { return 500 'broken'; }
          location = /large { root \(path); gzip off; }
          location = /compressed/large { alias \(path)/large; }
          location = /301 { return 301 /echo/301; }
          location = /302 { return 302 /echo/302; }
          location = /303 { return 303 /echo/303; }
          location = /307 { return 307 /echo/307; }
          location = /308 { return 308 /echo/308; }
          \(upload(path))
          location = /up307 { return 307 /upload/redirected; }
          location = /cookies { return 200 "$http_cookie"; }
          location = /set { add_header set-cookie 'a=1; Path=/'; return 200 'set'; }
          location = /set-and-go { add_header set-cookie 'b=2; Path=/'; return 302 /cookies; }
          location = /set-and-cross {
            add_header set-cookie 'c=3; Path=/'; return 302 http://localhost:\(port)/cookies;
          }
          location = /loop { return 302 /loop; }
          location = /dir/relative { return 302 ../echo/a?b=c; }
          location = /ftp { return 302 ftp://127.0.0.1/; }
          location = /cross { return 302 http://127.0.0.1:\(other)/echo; }
          location = /cross307 { return 307 http://127.0.0.1:\(other)/echo; }
          location = /cross-name { return 302 http://localhost:\(port)/echo; }
          location = /to-tls { return 302 https://localhost:\(tls)/echo; }
          location ~ ^/hops/1$ { return 302 /json; }
          location ~ ^/hops/(?<n>[2-9])$ { rewrite ^ /to$n last; }
          location = /to9 { return 302 /hops/8; }
          location = /to8 { return 302 /hops/7; }
          location = /to7 { return 302 /hops/6; }
          location = /to6 { return 302 /hops/5; }
          location = /to5 { return 302 /hops/4; }
          location = /to4 { return 302 /hops/3; }
          location = /to3 { return 302 /hops/2; }
          location = /to2 { return 302 /hops/1; }
        }
        server { listen 127.0.0.1:\(other); location /echo { \(echo) } }
        server {
          listen 127.0.0.1:\(tls) default_server ssl http2;
          ssl_certificate \(path)/good.pem; ssl_certificate_key \(path)/good.key;
          ssl_client_certificate \(path)/authority.pem; ssl_verify_client optional;
          location = /protocol { return 200 $server_protocol; }
          location = /posted { proxy_pass http://127.0.0.1:\(port)/json; }
          location = /client { return 200 '$ssl_client_verify $ssl_client_s_dn'; }
          location /echo { \(echo) }
          \(upload(path))
          location = /metered { alias \(path)/large; gzip off; limit_rate 2m; }
          location = /long-head {
            set $long "\(String(repeating: "b", count: 2000))";
            set $long "$long$long$long$long$long$long$long$long$long$long";
            add_header x-a "$long$long$long"; add_header x-b "$long$long$long";
            return 200 "$long";
          }
        }
        server {
          listen 127.0.0.1:\(tls) ssl http2; server_name client.localhost;
          ssl_certificate \(path)/client.pem; ssl_certificate_key \(path)/client.key;
          ssl_client_certificate \(path)/authority.pem; ssl_verify_client on;
          location = / { return 200 '$ssl_client_s_dn'; }
          location = /away { return 302 https://localhost:\(tls)/client; }
        }
        server {
          listen 127.0.0.1:\(plainHTTP2) http2; location / { return 200 $server_protocol; }
        }
        \(Certificates.bad.map { badServer(path, $0, tls) }.joined(separator: "\n"))
      }
      """
  }

  /// Where PUT leaves what it is given, see `uploaded`.
  private static func upload(_ path: String) -> String {
    """
    location /upload/ { root \(path); dav_methods PUT; create_full_put_path on;
      client_max_body_size 100m; }
    """
  }

  /// What is in the file that was PUT to `/upload/` and its name; nil if there is none.
  func uploaded(_ name: String) -> [UInt8]? {
    contents(authority.replacing("authority.pem", with: "upload/" + name))
  }

  /// A server that shows a bad certificate to those who ask for it by name.
  private static func badServer(_ path: String, _ name: String, _ port: UInt16) -> String {
    """
    server {
      listen 127.0.0.1:\(port) ssl http2; server_name \(name).localhost;
      ssl_certificate \(path)/\(name).pem; ssl_certificate_key \(path)/\(name).key;
      location / { return 200 'nobody should read this'; }
    }
    """
  }
}
