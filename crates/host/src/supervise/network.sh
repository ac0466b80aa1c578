# Keeps a network namespace with one link, to the network of process $1. There the link is called $2 and
# has the address $3; here it has $4. Says `ready`, or `taken` where that machine has another use for the
# addresses, and then puts the link up or down as it is told, line by line. When nobody can tell it
# anything any more, the link goes at once, and the namespace with the last process in it.

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
trap '' HUP INT QUIT TERM
weighin=$1
outside() { nsenter --target "$weighin" --net ip "$@"; }
# Known beforehand, so that nobody has to ask for it over a link that is cut: asking ends in an error,
# where a server that is far away is silent.
near=02:00:00:00:00:02

routes=$(outside -4 route show to match "$4") || exit
for route in $(printf '%s\n' "$routes" | cut -d ' ' -f 1); do
    [ "$route" = default ] || { echo taken; exit 1; }
done
ip link set lo up &&
    ip link add eth0 address "$near" type veth peer name "$2" netns "$weighin" &&
    ip address add "$4/30" dev eth0 &&
    ip link set eth0 up &&
    outside address add "$3/30" dev "$2" &&
    outside link set "$2" up &&
    outside neighbour replace "$4" lladdr "$near" dev "$2" nud permanent || exit
echo ready
while read -r state; do
    ip link set eth0 "$state" && echo done
done
ip link delete eth0
