local t = {}
	print("漢字", "é", "🙂", t.x.y, "after")
