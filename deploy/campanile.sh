#!/bin/sh
# Runs a command with the user, the folders and the settings of the systemd unit. Install it as /usr/local/bin/campanile, and run it as root:
#   campanile users list            for campanile.service
#   campanile @shop users list      for the instance campanile@shop.service
set -eu
name=campanile
unit=campanile
environment=/etc/campanile/environment
case ${1:-} in
  @?*)
    name=campanile-${1#@}
    unit=campanile@${1#@}
    environment=/etc/campanile/${1#@}.environment
    shift
    ;;
esac
home=/var/lib/$name
export NODE_ENV=production HOME="$home" DATA_DIR="$home/data" STATE_DIR="$home/state"

if [ -e "$environment" ]; then
  # As systemd reads it: a NAME=value a line, comments, and quotes around a value.
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      '' | '#'* | ';'*) continue ;;
    esac
    value=${line#*=}
    case $value in
      \"*\" | \'*\') value=${value#?} value=${value%?} ;;
    esac
    export "${line%%=*}=$value"
  done < "$environment"
fi
[ -d "$home" ] || install --directory --owner "$name" --group "$name" --mode 700 "$home"
cd "$home"
umask 077
word=${1:-}
set -- setpriv --reuid "$name" --regid "$name" --init-groups -- \
  /opt/campanile/node_modules/.bin/node /opt/campanile/node_modules/campanile/bin/campanile.mjs "$@"
case $word in
  doctor | upgrade)
    # Both try the folders of the service. While it runs, they see them as its sandbox does.
    pid=$(systemctl show --property=MainPID --value "$unit" 2> /dev/null || echo 0)
    [ "${pid:-0}" = 0 ] || set -- nsenter --mount --target "$pid" -- "$@"
    ;;
esac
exec "$@"
