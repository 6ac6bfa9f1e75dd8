local M = { save = print }
M.save("a"); M.sav("b"); M.save("c")
