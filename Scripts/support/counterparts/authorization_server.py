"""An authorization server by Authlib: login by code and by device, refresh and revocation."""
# pip: authlib==1.9.9 flask==3.1.3 werkzeug==3.1.9

import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from counterpart import wsgi

# The server is on the loopback interface, without TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import (AuthorizationServer, ResourceProtector,  # noqa: E402
                                               current_token)
from authlib.oauth2.rfc6749 import (AuthorizationCodeMixin, ClientMixin, TokenMixin,  # noqa: E402
                                    grants)
from authlib.oauth2.rfc6750 import BearerTokenValidator  # noqa: E402
from authlib.oauth2.rfc7009 import RevocationEndpoint  # noqa: E402
from authlib.oauth2.rfc7636 import CodeChallenge  # noqa: E402
from authlib.oauth2.rfc8628 import (DeviceAuthorizationEndpoint, DeviceCodeGrant,  # noqa: E402
                                    DeviceCredentialDict)
from authlib.oauth2.rfc9207 import IssuerParameter  # noqa: E402
from flask import Flask, jsonify, request  # noqa: E402

app = Flask(__name__)
tokens, codes, devices, answers, asked = [], {}, {}, {}, []


class Client(ClientMixin):
    def get_client_id(self): return "lull"
    def get_default_redirect_uri(self): return None
    def get_allowed_scope(self, scope): return scope
    # Any port of the loopback interface. (RFC 8252, section 7.3)
    def check_redirect_uri(self, uri): return re.fullmatch(r"http://127\.0\.0\.1:\d+/callback", uri)
    def check_client_secret(self, _): return False
    def check_endpoint_auth_method(self, method, endpoint): return method == "none"
    def check_response_type(self, kind): return kind == "code"
    def check_grant_type(self, _): return True


class Token(TokenMixin):
    def __init__(self, token, user):
        self.access, self.refresh = token["access_token"], token.get("refresh_token")
        self.scope, self.user = token.get("scope"), user
        self.expires, self.is_gone = time.time() + token["expires_in"], False

    def check_client(self, client): return True
    def get_scope(self): return self.scope
    def get_expires_in(self): return self.expires - time.time()
    def is_revoked(self): return self.is_gone
    def is_expired(self): return time.time() > self.expires
    def get_user(self): return self.user
    def get_client(self): return Client()


class Code(AuthorizationCodeMixin):
    def __init__(self, payload):
        self.redirect_uri, self.scope = payload.redirect_uri, payload.scope
        self.code_challenge = request.args.get("code_challenge")
        self.code_challenge_method = request.args.get("code_challenge_method")

    def get_redirect_uri(self): return self.redirect_uri
    def get_scope(self): return self.scope


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def save_authorization_code(self, code, request): codes[code] = Code(request.payload)
    def query_authorization_code(self, code, client): return codes.get(code)
    def delete_authorization_code(self, code):
        for name in [name for name, value in codes.items() if value is code]:
            del codes[name]

    def authenticate_user(self, code): return "ann"


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    # Refresh tokens are valid only once.
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, text):
        return next((t for t in tokens if t.refresh == text and not t.is_gone), None)

    def authenticate_user(self, token): return token.user
    def revoke_old_credential(self, token): token.is_gone = True


class DeviceEndpoint(DeviceAuthorizationEndpoint):
    INTERVAL = 1

    def get_verification_uri(self): return request.url_root + "device"
    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(
            data, client_id=client_id, scope=scope, expires_at=time.time() + 60)


class DeviceGrant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def query_device_credential(self, code): return devices.get(code)
    def query_user_grant(self, code): return answers.get(code)

    def should_slow_down(self, _):
        asked.append(time.monotonic())
        # The first poll is always told to slow down.
        return len(asked) == 1


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]

    def query_token(self, text, hint):
        return next((t for t in tokens if text in (t.access, t.refresh)), None)

    def revoke_token(self, token, request): token.is_gone = True


class Issuer(IssuerParameter):
    def get_issuer(self): return request.url_root.rstrip("/")


class Validator(BearerTokenValidator):
    def authenticate_token(self, text):
        return next((t for t in tokens if t.access == text and not t.is_gone), None)


app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
server = AuthorizationServer(
    app, query_client=lambda name: Client() if name == "lull" else None,
    save_token=lambda token, request: tokens.append(Token(token, request.user)))
server.register_grant(CodeGrant, [CodeChallenge(required=True)])
server.register_grant(RefreshGrant)
server.register_grant(DeviceGrant)
server.register_endpoint(DeviceEndpoint)
server.register_endpoint(Revocation)
server.register_extension(Issuer())
protector = ResourceProtector()
protector.register_token_validator(Validator())


@app.get("/authorize")
def authorize():
    # A user who refuses is simulated by the URL in the API file.
    user = None if "refuse" in request.args else "ann"
    return server.create_authorization_response(grant=server.get_consent_grant(end_user=user), grant_user=user)


@app.post("/token")
def token(): return server.create_token_response()


@app.post("/device_authorization")
def device_authorization(): return server.create_endpoint_response("device_authorization")


@app.post("/device")
def device():
    answers[request.form["user_code"]] = ("bob", request.form["agrees"] == "yes")
    return "fine"


@app.post("/revoke")
def revoke(): return server.create_endpoint_response("revocation")


@app.get("/me")
@protector()
def me(): return jsonify(user=current_token.user, scope=current_token.scope)


# The tests ---------------------------------------------------------------------------------------

problems = []


def check(is_so, what):
    if not is_so:
        problems.append(what)


class Run:
    """Runs the command in a separate folder with API files for a server."""

    def __init__(self, url, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {
            **os.environ, "XDG_STATE_HOME": str(self.folder / "state"), "HOME": str(self.folder)}
        (self.folder / "apis").mkdir()
        for name, query in [("code", ""), ("refused", "?refuse=1")]:
            self.write(name, url, f"""oauth2_code{{ authorization_url = url .. "/authorize{query}",
                issuer = url, """)
        self.write("device", url, """oauth2_device{ device_url = url .. "/device_authorization",""")

    def write(self, name, url, way):
        (self.folder / f"apis/{name}.lua").write_text(f"""
            local lull = require "lull"
            local url = "{url}"
            return lull.service{{ base_url = url, auth = lull.auth.{way}
              token_url = url .. "/token", revocation_url = url .. "/revoke", client_id = "lull",
              scope = "profile" }} }}""")

    def start(self, *words):
        return subprocess.Popen(
            [os.environ["LULL_PROGRAM"], *words], env=self.environment, cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *words):
        process = self.start(*words)
        output, errors = process.communicate(timeout=120)
        return process.returncode, output, errors


def lines_until(process, pattern):
    text = ""
    for line in process.stdout:
        text += line
        if found := re.search(pattern, text):
            return found
    sys.exit(f"the login has ended without {pattern}:\n{text}{process.stderr.read()}")


def browse(url, form=None):
    data = urllib.parse.urlencode(form).encode() if form else None
    try:
        with urllib.request.urlopen(url, data, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def end(process, code, what):
    output, errors = process.communicate(timeout=120)
    check(process.returncode == code, f"{what}: ended with {process.returncode}: {output}{errors}")
    return output + errors


def me(run, api):
    code, output, errors = run.run("get", api, "/me", "-f", "x.user")
    return output.strip() if code == 0 else f"{code} {errors}"


def by_code(run):
    code, _, errors = run.run("get", "code", "/me")
    check(code == 6 or code == 1, f"without a login: ended with {code}")
    check("run 'lull login code'" in errors, f"without a login: {errors}")
    process = run.start("login", "code", "--no-browser")
    url = lines_until(process, r"http\S+/authorize\S+")[0]
    status, page = browse(url)
    check(status == 200 and "has arrived" in page, f"the page says {status} {page}")
    end(process, 0, "login by code")
    file = run.folder / "state/lull/tokens/code.json"
    check(stat.S_IMODE(file.stat().st_mode) == 0o600, "the file may be read by others")
    check(stat.S_IMODE(file.parent.stat().st_mode) == 0o700, "the folder may be read by others")
    check(me(run, "code") == '"ann"', f"by code: {me(run, 'code')}")
    # Expired: refreshed, with a new refresh token each time.
    for _ in range(2):
        count = len(tokens)
        tokens[-1].expires = 0
        check(me(run, "code") == '"ann"', f"renewed: {me(run, 'code')}")
        check(len(tokens) == count + 1, f"{len(tokens) - count} tokens for one")
    last = tokens[-1]
    code, output, errors = run.run("logout", "code")
    check(code == 0 and "revoked" in output, f"logout: {code} {output}{errors}")
    check(last.is_gone, "nothing was revoked")
    check(not file.exists(), "the tokens are still there")
    check("run 'lull login code'" in me(run, "code"), f"logged out: {me(run, 'code')}")


def refused(run):
    process = run.start("login", "refused")
    url = lines_until(process, r"http\S+/authorize\S+")[0]
    status, page = browse(url)
    check(status == 200 and "access_denied" in page, f"the page of a refusal says {status} {page}")
    said = end(process, 1, "a refused login")
    check("access_denied" in said, f"a refused login says {said}")


def by_device(run, agrees):
    del asked[:]
    process = run.start("login", "device")
    found = lines_until(process, r"(http\S+/device)\s[\s\S]*?code:\s+(\S+)\n")
    # Not before the client has been told to slow down.
    while not asked:
        time.sleep(0.05)
    browse(found[1], {"user_code": found[2], "agrees": "yes" if agrees else "no"})
    said = end(process, 0 if agrees else 1, "login by device")
    if not agrees:
        check("refused" in said, f"a refused device says {said}")
        return
    check(me(run, "device") == '"bob"', f"by device: {me(run, 'device')}")
    code, output, errors = run.run("logout", "device")
    check(code == 0 and "revoked" in output, f"logout: {code} {output}{errors}")


with wsgi(app) as url, tempfile.TemporaryDirectory() as folder:
    run = Run(url, folder)
    by_code(run)
    refused(run)
    by_device(run, agrees=True)
    by_device(run, agrees=False)
if problems:
    sys.exit("\n".join(problems))
