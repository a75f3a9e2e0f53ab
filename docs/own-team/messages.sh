#!/bin/sh
# Makes Python classes and C++ headers of the messages that the programs here speak, by ROS's own generators: messages.sh FOLDER
set -eu
definitions=$(cd "$(dirname "$0")/../../robotio/msg/defs/std" && pwd)
python=/usr/bin/python3 # Debian's, which has the generators

mkdir -p "$1/include/omnipitch_msgs" "$1/python/omnipitch_msgs/msg"
for message in Sighting Perception RobotCommand; do
	of="$definitions/omnipitch_msgs/$message.msg -p omnipitch_msgs -I omnipitch_msgs:$definitions/omnipitch_msgs -I std_msgs:$definitions/std_msgs"
	# shellcheck disable=SC2086 # several words
	$python /usr/lib/gencpp/gen_cpp.py $of -o "$1/include/omnipitch_msgs" -e /usr/share/gencpp
	$python /usr/lib/genpy/genmsg_py.py $of -o "$1/python/omnipitch_msgs/msg"
done
$python /usr/lib/genpy/genmsg_py.py --initpy -p omnipitch_msgs -o "$1/python/omnipitch_msgs/msg"
touch "$1/python/omnipitch_msgs/__init__.py"
