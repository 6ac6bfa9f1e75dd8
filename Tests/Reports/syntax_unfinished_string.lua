print("abc)
print("def")
