local total, count = 7, nil
print(total / count) -- total / count
