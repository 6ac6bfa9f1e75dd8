while true do
  goto continue
end
