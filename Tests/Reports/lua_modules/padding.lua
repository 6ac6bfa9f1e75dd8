local M = {}

function M.left(text, width)
  return (" "):rep(width - #text) .. text
end

return M
