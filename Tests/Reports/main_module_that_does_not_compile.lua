package.path = "../Reports/?.lua;" .. package.path
local broken = require "parts.broken"
