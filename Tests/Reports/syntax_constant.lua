local limit <const> = 3
limit = limit + 1
