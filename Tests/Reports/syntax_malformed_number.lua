local n = 3x + 3
