#!/usr/bin/env python3
"""An agent of RoboCup's 3D Simulation League without any library: it stands, and turns its head to the ball.

usage: agent.py [HOST [PORT [TEAM NUMBER]]]
"""
import re
import socket
import sys

HOST, PORT, TEAM, NUMBER = (sys.argv[1:] + ["127.0.0.1", "60000", "Example", "1"][len(sys.argv) - 1:])[:4]
LEGS_AND_ARMS = [side + part + str(i) for side in "lr" for part, n in (("ae", 4), ("le", 6)) for i in range(1, n + 1)]
CYCLES = 200  # of 20 ms


def receive(conn):
    """Returns the next message: its length in four bytes, big-endian, and its text."""
    head = conn.recv(4, socket.MSG_WAITALL)
    if not head:
        sys.exit("the server has closed the connection: its terminal shows why")
    size = int.from_bytes(head, "big")
    return conn.recv(size, socket.MSG_WAITALL).decode()


def send(conn, text):
    conn.sendall(len(text).to_bytes(4, "big") + text.encode())


def numbers(text, pattern):
    """Returns the numbers behind the first match of a pattern."""
    m = re.search(pattern + r"((?: -?[\d.]+)+)\)", text)
    return [float(v) for v in m.group(1).split()] if m else None


try:
    conn = socket.create_connection((HOST, int(PORT)))
except OSError as e:
    sys.exit(f"no server at {HOST}:{PORT}: {e}")
conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
send(conn, f"(init T1 {TEAM} {NUMBER})")
yaw = pitch = 0.0     # goals of the head, degrees
ball, known, senses = None, {}, set()
for cycle in range(CYCLES):
    message = receive(conn)
    known = {name: float(angle) for name, angle in re.findall(r"\(n (q_\w+)\)\(ax (-?[\d.]+)\)", message)}
    senses.update(re.findall(r"\((\w+) ?[(n]", message))
    mode = re.search(r"\(pm (\w+)\)", message).group(1)
    seen = numbers(message, r"\(B \(pol")
    if seen:          # distance, azimuth and elevation from the camera, which turns with the head
        ball = seen
        yaw, pitch = known["q_hj1"] + ball[1], known["q_hj2"] - ball[2]
    elif ball is None:
        yaw = min(yaw + 1, 80)
    effectors = "".join(f"({name} 0 0 60 1 0)" for name in LEGS_AND_ARMS if "q_" + name.replace("e", "j") in known)
    effectors += f"(he1 {yaw:.2f} 0 30 0.5 0)(he2 {pitch:.2f} 0 30 0.5 0)"
    if cycle == 0 and mode == "BeforeKickOff":
        effectors += "(beam -1.5 -1 0)"
    send(conn, effectors)

x, y, z = numbers(message, r"\(pos \(n torso_pos\) \(p")
senses &= {"time", "GS", "GYR", "ACC", "HJ", "See", "TCH"}
print(f"{mode}: {len(known)} joints, perceptors {' '.join(sorted(senses))}")
print(f"stands at {x:.2f} m, {y:.2f} m, its trunk {z:.2f} m high")
if ball is None:
    sys.exit("sees no ball")
print(f"sees the ball {ball[0]:.2f} m away, with its head turned by {known['q_hj1']:.0f} degrees")
