# Removes the link $1, whose number was told: others may make one of that name as soon as it is gone. The
# namespace at its other end would keep it for minutes, as long as connections there are not closed.
[ -n "$told" ] || exit 0
read -r number <"/sys/class/net/$1/ifindex" || exit 0
[ "$number" != "$told" ] || ip link delete "$1"
