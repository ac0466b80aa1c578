# Removes the control groups that the arguments name, as soon as their last members have ended, and then
# writes to the file that was told, if one was, that its controller is passed on no more.
tries=0
while [ "$tries" -lt 600 ]; do
    left=
    for group in "$@"; do
        rmdir -- "$group" || [ ! -d "$group" ] || left=yes
    done
    if [ -z "$left" ]; then
        # Another weighin's group may rely on it.
        [ -z "$told" ] || ls -d "${told%/*}"/weighin-vms-* || echo -cpu >"$told"
        exit 0
    fi
    tries=$((tries + 1))
    sleep 0.1
done
exit 1
