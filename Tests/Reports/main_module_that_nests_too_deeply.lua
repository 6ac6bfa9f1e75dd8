local part = require "parts.too_deep"
