local a = 1
local b = a.b.c
print(b)
