"""httpbin, which requests credentials. The tests are in httpbin_auth.lua."""
# pip: httpbin==0.10.4 werkzeug==3.1.9 flask==3.1.3

import sys

from counterpart import lull, wsgi
from httpbin import app

with wsgi(app) as url:
    said = lull("httpbin_auth.lua", url)
if said:
    sys.exit(said)
