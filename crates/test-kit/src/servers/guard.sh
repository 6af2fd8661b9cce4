# Reads messages of the process that started it; at the end of the input that process is gone, and this cleans up.
trap '' HUP INT TERM
watched='' folders=''

# Is the very process, not a later one with its number, still running?
alive() {
    read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
    start=$2
    set -- ${stat##*)}
    [ "$1" != Z ] && [ "${20}" = "$start" ]
}

each() {
    for entry in $watched; do
        identity=${entry#*:}
        alive "${identity%:*}" "${identity#*:}" && "$1" "${entry%%:*}" "${identity%:*}"
    done
    return 0
}
send() { kill -s "$1" "$2" 2>/dev/null; }
finish() { kill -s KILL "$2" 2>/dev/null; }
count() { left=$((left + 1)); }

while read -r verb value; do
    case "$verb" in
        watch) watched="$watched $value" ;;
        forget)
            kept=''
            for entry in $watched; do
                [ "${entry#*:}" = "$value" ] || kept="$kept $entry"
            done
            watched=$kept
            ;;
        remove) folders="$folders$value
" ;;
    esac
done

each send
tries=0
while [ "$tries" -lt 100 ]; do
    left=0
    each count
    [ "$left" -eq 0 ] && break
    tries=$((tries + 1))
    sleep 0.1
done
each finish

# Backends of a database may write for a moment longer.
tries=0
while [ -n "$folders" ] && [ "$tries" -lt 50 ]; do
    kept=''
    IFS='
'
    for folder in $folders; do
        rm -rf -- "$folder" 2>/dev/null
        [ -e "$folder" ] && kept="$kept$folder
"
    done
    unset IFS
    folders=$kept
    tries=$((tries + 1))
    [ -n "$folders" ] && sleep 0.1
done
exit 0
