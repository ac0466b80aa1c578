# Waits until nobody holds the other end of its standard input, then ends all that a sandbox is,
# and removes its directory, $1: processes whose data directory is in it, and the volume on which
# that is, where weighin has built one.
#
# Servers of Redis's kin overwrite their arguments: they are known by working in the data directory,
# and by their program. The patterns stand in one word with grep's -e, or grep would find itself.

kill_servers() {
    for file in $(grep -lszxF -e"--datadir=$1/data" -e"--datadir=$1/volume/data" \
        /proc/[0-9]*/cmdline)
    do
        left=yes
        pid=${file#/proc/}
        kill -KILL "${pid%/cmdline}"
    done
    for link in $(find /proc/[0-9]*/cwd -maxdepth 0 \
        \( -lname "$1/data" -o -lname "$1/volume/data" \) 2>/dev/null)
    do
        case $(readlink "${link%/cwd}/exe") in
            *-cli) ;;
            */redis-*|*/valkey-*|*/keydb-*)
                left=yes
                pid=${link#/proc/}
                kill -KILL "${pid%/cwd}";;
        esac
    done
}

# Containers are known by their label. One that is being made cannot start without the directory.
remove_containers() {
    [ -e "$1/container" ] || return 0
    { read -r engine; read -r label; } <"$1/container"
    for container in $("$engine" ps --all --quiet --filter "label=$label"); do
        left=yes
        "$engine" kill --signal KILL "$container"
        "$engine" rm --force --volumes "$container"
    done
}

# Devices of the volume are known by their files, which lie in the directory; their limits are lifted
# as long as they are, for their numbers then pass to others. Writing is limited no more when it is
# waited for.
lift_limits() {
    [ -e "$1/limits" ] || return 0
    for file in $(grep -lsF -e"$1/" /sys/block/loop*/loop/backing_file); do
        device=$(cat "${file%/loop/backing_file}/dev")
        while read -r limit unlimited; do
            printf '%s %s\n' "$device" "$unlimited" >"$limit"
        done <"$1/limits"
    done
}

take_volume_apart() {
    [ -e "$1/volume" ] || return 0
    # Weighin may have been killed while losetup worked for it.
    grep -qszx -e"$1/devices/[0-9]*.img" /proc/[0-9]*/cmdline && left=yes
    if mountpoint -q "$1/volume"; then
        left=yes
        umount "$1/volume"
    fi
    for file in $(grep -lsF -e"$1/" /sys/block/loop*/loop/backing_file); do
        left=yes
        device=${file%/loop/backing_file}
        for array in "$device"/holders/md*; do
            [ -e "$array" ] && mdadm --quiet --stop "/dev/${array##*/}"
        done
        losetup --detach "/dev/${device##*/}"
    done
    [ -e "$1/group" ] || return 0
    read -r group <"$1/group"
    if [ -d "$group" ]; then
        left=yes
        rmdir "$group"
    fi
}

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
trap '' HUP INT QUIT TERM
while read -r _; do :; done
tries=0
while [ "$tries" -lt 1000 ]; do
    left=
    lift_limits "$1"
    kill_servers "$1"
    remove_containers "$1"
    take_volume_apart "$1/temporary"
    take_volume_apart "$1"
    if [ -z "$left" ]; then
        rm -rf -- "$1"
        [ -e "$1" ] || exit 0
    fi
    tries=$((tries + 1))
    sleep 0.05
done
exit 1
