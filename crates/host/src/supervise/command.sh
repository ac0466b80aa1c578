# Ends the group of processes with the number that was told. Without a number there is nothing to end.
[ -n "$told" ] || exit 0
kill -s KILL -- "-$told"
