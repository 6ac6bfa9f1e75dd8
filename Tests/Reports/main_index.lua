local user = { name = "Ada" }
print(user.address.city)
