"""A robot's client of the GameController, written from the headers of the leagues and not from the Go code.

Reads one packet, as hexadecimal digits, from each line of stdin and prints its fields as one line of JSON.
"""
import json
import struct
import sys

ROBOTS = {18: ("penalty", "secs"), 19: ("penalty", "secs", "warnings", "cautions"), 20: ("penalty", "secs", "cautions")}
HEAD = {
    18: ("packet", "players", "competitionPhase", "competitionType"),
    19: ("packet", "players", "competitionType", "stopped"),
    20: ("packet", "players", "competitionType", "stopped"),
}


def newer(version, data):
    names = ROBOTS[version]
    fields = dict(zip(HEAD[version], struct.unpack_from("<4B", data, 5)))
    fields.update(zip(("gamePhase", "state", "setPlay", "firstHalf", "kicking", "left", "secondary"),
                      struct.unpack_from("<5B2h", data, 9)))
    size = 10 + 20 * len(names)
    assert len(data) == 18 + 2 * size, len(data)
    for team in range(2):
        at = 18 + team * size
        keys = ("number", "colour", "keeperColour", "keeper", "score", "shot", "shots", "budget")
        fields.update((f"{team}.{k}", v) for k, v in zip(keys, struct.unpack_from("<6B2H", data, at)))
        for robot in range(20):
            values = struct.unpack_from(f"<{len(names)}B", data, at + 10 + robot * len(names))
            fields.update((f"{team}.{robot + 1}.{k}", v) for k, v in zip(names, values))
    return fields


def humanoid(data):
    assert len(data) == 688, len(data)
    keys = ("packet", "players", "gameType", "state", "firstHalf", "kickOff", "secondaryState", "performing", "step")
    fields = dict(zip(keys, struct.unpack_from("<9B", data, 6)))
    fields.update(zip(("dropInTeam", "dropIn", "left", "secondary"), struct.unpack_from("<BHhh", data, 17)))
    for team in range(2):
        at = 24 + team * 332
        keys = ("number", "colour", "score", "shot", "shots")
        fields.update((f"{team}.{k}", v) for k, v in zip(keys, struct.unpack_from("<4BH", data, at)))
        for robot in range(11):
            values = struct.unpack_from("<6B", data, at + 6 + 1 + 253 + 6 + robot * 6)
            keys = ("penalty", "secs", "warnings", "yellow", "red", "keeper")
            fields.update((f"{team}.{robot + 1}.{k}", v) for k, v in zip(keys, values))
    return fields


for line in sys.stdin:
    packet = bytes.fromhex(line)
    assert packet[:4] in (b"RGme", b"RGTD"), packet[:4]
    twelve = struct.unpack_from("<H", packet, 4)[0] == 12
    read = humanoid(packet) if twelve else newer(packet[4], packet)
    print(json.dumps({"header": packet[:4].decode(), **read}), flush=True)
