# Waits until nobody holds the other end of its standard input, then ends the group of processes whose
# number is the first line of it. Without a number there is nothing to end.
trap '' HUP INT QUIT TERM
read -r group || exit 0
while read -r _; do :; done
kill -s KILL -- "-$group"
