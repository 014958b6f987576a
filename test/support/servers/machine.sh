#!/bin/bash
# Runs a script as root of a server like that of docs/how-to/install-on-a-server.md: machine.sh MACHINE CHECKOUT NODE SCRIPT, in a mount, process
# and network namespace of its own. The folders of MACHINE are those that the commands change. `systemctl` does to the service what
# campanile.service says of folders: everything is read-only but StateDirectory, ReadWritePaths and a /tmp of its own.
set -eu
machine=$1 checkout=$2 node=$3 script=$4
mount --make-rprivate /
ip link set lo up
mkdir -p "$machine"/{opt/campanile/node_modules/.bin,lib,backups,root,bin}
[ -e "$machine/etc" ] || cp -a /etc "$machine/etc"
mkdir -p "$machine/etc/systemd/system"
ln -sfn "$node" "$machine/opt/campanile/node_modules/.bin/node"
# Node.js runs no TypeScript below node_modules, unless a link leads out of it.
ln -sfn "$checkout" "$machine/opt/campanile/node_modules/campanile"
chmod 755 "$machine" "$machine"/{opt,lib,backups,bin} && chmod 700 "$machine/root"
cat > "$machine/bin/systemctl" << 'END'
#!/bin/bash
pid=$(cat "$machine/pid" 2> /dev/null || echo 0)
stop() { [ "$pid" = 0 ] || { kill "$pid"; while kill -0 "$pid" 2> /dev/null; do sleep 0.1; done; }; rm -f "$machine/pid"; }
start() {
  : > "$machine/log"
  unshare --mount bash "$machine/bin/unit" >> "$machine/log" 2>&1 &
  echo $! > "$machine/pid"
  until grep -q 'listening on' "$machine/log"; do kill -0 $! 2> /dev/null || { cat "$machine/log" >&2; exit 1; }; sleep 0.1; done
}
case $* in
  'enable --now campanile' | 'start campanile') start ;;
  'restart campanile') stop; start ;;
  'disable --now campanile' | 'stop campanile') stop ;;
  'show --property=MainPID --value campanile') echo "$pid" ;;
  'daemon-reload') ;;
  *) echo "systemctl $* is not known here" >&2; exit 1 ;;
esac
END
printf '#!/bin/bash\ntail -n 5 "$machine/log"\n' > "$machine/bin/journalctl"
cat > "$machine/bin/unit" << 'END'
set -eu
shopt -s nullglob
unit=$(cat /etc/systemd/system/campanile.service /etc/systemd/system/campanile.service.d/*.conf)
of() { sed -n "s/^$1=//p" <<< "$unit" | tr ' ' '\n'; }
writable=(/tmp)
mount -t tmpfs -o mode=1777 tmpfs /tmp
for folder in $(of StateDirectory | sed 's|^|/var/lib/|') $(of ReadWritePaths); do
  [ -d "${folder#-}" ] || { [ "$folder" != "${folder#-}" ]; continue; }
  mount --bind "${folder#-}" "${folder#-}"
  writable+=("${folder#-}")
done
while read -r target; do
  case $target in /proc* | /sys* | /dev*) continue ;; esac
  [[ " ${writable[*]} " == *" $target "* ]] || mount -o remount,bind,ro "$target"
done < <(findmnt --raw --noheadings --output TARGET)
for setting in $(of Environment); do export "${setting?}"; done
while IFS= read -r line; do [ -z "$line" ] || export "${line?}"; done < /etc/campanile/environment
cd "$(of WorkingDirectory)"
umask "$(of UMask)"
exec setpriv --reuid "$(of User)" --regid "$(of Group)" --init-groups --bounding-set -all --no-new-privs -- $(sed -n 's/^ExecStart=//p' <<< "$unit")
END
chmod 755 "$machine/bin"/{systemctl,journalctl}
for pair in etc:/etc opt:/opt lib:/var/lib backups:/var/backups root:/root bin:/usr/local/bin; do
  mount --bind "$machine/${pair%%:*}" "${pair#*:}"
done
cd /opt/campanile
env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin machine="$machine" bash -eu -c "$script" || { code=$?; tail -n 20 "$machine/log" >&2; exit $code; }
