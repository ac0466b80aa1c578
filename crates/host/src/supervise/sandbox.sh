# Ends all that a sandbox is, and removes its directory, $1: processes whose data directory is in it, and
# the volume on which that is, where weighin has built one.
#
# Others may make directories beside it, and one of that name as soon as it is gone. So its number is told
# once it is made, and what lies in it is believed only from within a directory with that number that is
# this account's: numbers are used again.
#
# Some servers overwrite their arguments: they are known by working in the data directory, and by what the
# names of their programs begin with, which the further arguments say; clients end with -cli. The patterns
# stand in one word with grep's -e, or grep would find itself.
#
# Shared memory outlives processes that are killed. What they have mapped of it goes with them where their
# own account has made it: files of /dev/shm, and segments of System V, which have their numbers in place
# of those of files. A file may list others of its kind that nobody has mapped, by the numbers that end
# their names.

is_server() {
    case $1 in
        *-cli) return 1;;
    esac
    for prefix in $prefixes; do
        case $1 in
            "$prefix"*) return 0;;
        esac
    done
    return 1
}
note_shared() {
    account=$(stat -c %u "/proc/$1") || return 0
    [ "$(readlink "/proc/$1/ns/ipc")" = "$(readlink /proc/self/ns/ipc)" ] || return 0
    while read -r _ _ _ _ number path; do
        case $path in
            /dev/shm/*[!A-Za-z0-9._-]*) ;;
            /dev/shm/*)
                case " $files " in
                    *" $path "*) continue;;
                esac
                [ "$(stat -c %u:%i -- "$path")" = "$account:$number" ] || continue
                listed=$(od -An -v -tu4 -N 1048576 -- "$path")
                for other in "${path%.*}".*; do
                    case $listed in
                        *" ${other##*.} "*|*" ${other##*.}
"*) [ "$(stat -c %u -- "$other")" = "$account" ] && files="$files $other";;
                    esac
                done
                files="$files $path";;
            /SYSV*" (deleted)")
                grep -qE "^ *-?[0-9]+ +$number +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +$account " \
                    /proc/sysvipc/shm && segments="$segments $number";;
        esac
    done <"/proc/$1/maps"
}
kill_servers() {
    files=
    segments=
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
        program=$(readlink "${link%/cwd}/exe")
        if is_server "${program##*/}"; then
            left=yes
            pid=${link#/proc/}
            pid=${pid%/cwd}
            note_shared "$pid"
            kill -KILL "$pid"
        fi
    done
    [ -z "$files" ] || rm -f -- $files
    for segment in $segments; do
        ipcrm -m "$segment"
    done
}

# Nobody but the guardian removes more than the processes.
if [ "$role" = servers ]; then
    sandbox=$1
    shift
    prefixes=$*
    tries=0
    left=yes
    while [ -n "$left" ] && [ "$tries" -lt 200 ]; do
        left=
        kill_servers "$sandbox"
        tries=$((tries + 1))
        [ -z "$left" ] || sleep 0.05
    done
    exit 0
fi

# Whether the working directory is the sandbox.
is_within() {
    [ -O . ] && [ "$(stat -c %d:%i .)" = "$told" ]
}

# What follows works within the directory, whose path is $1.

# Containers are known by their label. One that is being made cannot start without the directory. Docker may
# miss the end of a process that others kill, and then can never remove its container: so the engine is asked
# before servers are killed. One that does not answer in time is asked again after that.
ask_engine() {
    timeout -k 1 15 "$engine" "$@"
}
remove_containers() {
    [ -e ./container ] || return 0
    { read -r engine; read -r label; } <./container
    containers=$(ask_engine ps --all --quiet --filter "label=$label")
    [ $? -lt 124 ] || left=yes
    for container in $containers; do
        left=yes
        ask_engine kill --signal KILL "$container"
        ask_engine rm --force --volumes "$container"
    done
}

# Devices of the volume are known by their files, which lie in the directory; their limits are lifted
# as long as they are, for their numbers then pass to others. Writing is limited no more when it is
# waited for.
lift_limits() {
    [ -e ./limits ] || return 0
    for file in $(grep -lsF -e"$1/" /sys/block/loop*/loop/backing_file); do
        device=$(cat "${file%/loop/backing_file}/dev")
        while read -r limit unlimited; do
            printf '%s %s\n' "$device" "$unlimited" >"$limit"
        done <./limits
    done
}

# Unmounts device $1 wherever it is mounted: whoever made a mount namespace meanwhile, such as a container,
# has a mount of its own in it, which holds the device. Paths have octal escapes there. umount does so
# without running anything from there; it may wait for a file system of others on the way.
unmount() {
    for file in $(grep -lsF -e" /dev/$1 " /proc/[0-9]*/mountinfo); do
        left=yes
        pid=${file#/proc/}
        grep -sF -e" /dev/$1 " "$file" | while read -r _ _ _ _ point _; do
            timeout -k 1 10 umount -i -n -N "${pid%/mountinfo}" "$(printf %b "$point")"
        done
    done
}

# Of the directory $2 within it, whose path is $1.
take_volume_apart() {
    [ -e "$2/volume" ] || return 0
    # Weighin may have been killed while losetup worked for it.
    grep -qszx -e"$1/devices/[0-9]*.img" /proc/[0-9]*/cmdline && left=yes
    for file in $(grep -lsF -e"$1/" /sys/block/loop*/loop/backing_file); do
        left=yes
        device=${file%/loop/backing_file}
        for array in "$device"/holders/md*; do
            [ -e "$array" ] || continue
            unmount "${array##*/}"
            mdadm --quiet --stop "/dev/${array##*/}"
        done
        unmount "${device##*/}"
        losetup --detach "/dev/${device##*/}"
    done
    [ -e "$2/group" ] || return 0
    read -r group <"$2/group"
    if [ -d "$group" ]; then
        left=yes
        rmdir "$group"
    fi
}

# Weighin may end after it has made the directory and before it can say so: there is nothing in it.
[ -n "$told" ] || { rmdir -- "$1"; exit 0; }
sandbox=$1
shift
prefixes=$*
set -- "$sandbox"
tries=0
while [ "$tries" -lt 400 ]; do
    left=
    if [ ! -L "$1" ] && cd -P -- "$1" && is_within; then
        remove_containers
        kill_servers "$1"
        lift_limits "$1"
        take_volume_apart "$1/temporary" ./temporary
        take_volume_apart "$1" .
        cd /
        [ -n "$left" ] || rm -rf -- "$1"
    else
        cd /
        kill_servers "$1"
        [ -n "$left" ] || exit 0
    fi
    tries=$((tries + 1))
    # What is still there after a while is held by another, who may end: half an hour in all, for which
    # nobody waits.
    case $tries in
        ?|1?) sleep 0.05;;
        [2-9]?) sleep 0.2;;
        *) sleep 5;;
    esac
done
exit 1
