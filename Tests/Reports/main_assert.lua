local file = assert(io.open("/nowhere/x.txt"))
