# Takes down what commands of the user brought up, where the process that runs them was killed. Told is the
# last that it said: nothing where nothing may be up; `rests` where no command runs; `up` or `down` with the
# number of the group of processes that runs it. $1 is how many seconds a command may take, and what follows
# is `down`. $exports sets the variables that it gets, which no list of processes shows.
[ -n "$told" ] || exit 0
limit=$1
shift

# Waits so many seconds for a group that this one has not started, and kills it.
see_off() {
    tries=$(($2 * 5))
    while [ "$tries" -gt 0 ] && kill -s 0 -- "-$1"; do
        tries=$((tries - 1))
        sleep 0.2
    done
    kill -s KILL -- "-$1"
}
case $told in
    # It is told to end, as OpenTofu writes down first what there is.
    up\ *) kill -s TERM -- "-${told#* }"; see_off "${told#* }" 60;;
    # It may come to its end by itself.
    down\ *) see_off "${told#* }" "${limit%.*}";;
esac

newline='
'
eval "$exports"
for pause in 10 10 0; do
    (
        trap - HUP INT QUIT TERM
        exec timeout -k 60 "$limit" "$@" 3>&- 4>&-
    ) && exit 0
    sleep "$pause"
done
