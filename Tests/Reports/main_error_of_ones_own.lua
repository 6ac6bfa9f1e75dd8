local lull = require "lull"
error(lull.error { user_message = "The shop is closed", http_status = 423 })
