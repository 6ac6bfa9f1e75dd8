local limit
if #arg > 0 or 3 < limit then print "more" end
