#!/bin/sh
# Runs a command with the user, the folders and the settings of the systemd unit. Install it as /usr/local/bin/campanile, and run it as root:
#   campanile users list            for campanile.service
#   campanile @shop users list      for the instance campanile@shop.service
set -eu
name=campanile
environment=/etc/campanile/environment
case ${1:-} in
  @?*)
    name=campanile-${1#@}
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
exec setpriv --reuid "$name" --regid "$name" --init-groups -- \
  /opt/campanile/node_modules/.bin/node /opt/campanile/node_modules/campanile/bin/campanile.mjs "$@"
