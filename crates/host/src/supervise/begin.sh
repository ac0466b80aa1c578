# The begin of every guardian's script. There are two of them for everything that is guarded: $1 says which
# this is. Each waits until nobody holds the other end of its standard input, and then has in $told the
# last line that it was told, and in $exports all that set variables. The first does at once what follows. The second sees by the pipe that is its
# standard output (fd 4 from here on) when the first has ended: where that said so there is nothing left to
# do, and otherwise it was killed, and the second does the same. Whoever waits for both holds the other
# end of their standard error (fd 3).
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
trap '' HUP INT QUIT TERM
role=$1
shift
exec 3>&2 2>/dev/null
case $role in
    first)
        exec 4>&1 >/dev/null
        trap 'echo ended >&4' EXIT;;
    *)
        exec 4<&1 >/dev/null;;
esac
told=
exports=
while IFS= read -r said; do
    case $said in
        "export "*) exports="$exports$said;";;
        *) told=$said;;
    esac
done
[ "$role" = first ] || ! read -r said <&4 || exit 0
exec </dev/null

