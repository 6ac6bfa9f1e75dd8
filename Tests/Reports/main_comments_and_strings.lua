local t = {}
--[[ t.name.first ]] print("t.name.first", t.name.first) -- t.name.first
