#!/usr/bin/python3
"""Drives a robot over Player for two seconds, and prints what its odometry, laser and camera report.

It needs no library: the formats are those of Player's files libplayerinterface/player.h and interfaces/*.def, in XDR.
Usage: drive.py [HOST [PORT]]
"""
import socket
import struct
import sys

PLAYER, POSITION2D, LASER, CAMERA = 1, 4, 6, 40
DATA, COMMAND, REQUEST, ACK, NACK = 1, 2, 3, 4, 6
HEADER = struct.Struct('>IIIIIIdII')  # host, robot, interface, index; type, subtype; time; number; size of the payload


class Client:
    def __init__(self, host='localhost', port=6665):
        self.socket = socket.create_connection((host, port))
        self.server = self.receive(32).rstrip(b'\0').decode()

    def receive(self, size):
        data = b''
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionError('the server has closed the connection')
            data += part
        return data

    def send(self, interface, index, kind, subtype, payload=b''):
        self.socket.sendall(HEADER.pack(0, 0, interface, index, kind, subtype, 0, 0, len(payload)) + payload)

    def read(self):
        """Returns a message: interface, index, type, subtype, sim time in s, payload."""
        _, _, interface, index, kind, subtype, time, _, size = HEADER.unpack(self.receive(HEADER.size))
        return interface, index, kind, subtype, time, self.receive(size)

    def request(self, interface, index, subtype, payload=b''):
        """Sends a request and returns the payload of its answer. Data that come before the answer are lost."""
        self.send(interface, index, REQUEST, subtype, payload)
        while True:
            *of, kind, _, _, answer = self.read()
            if kind == NACK:
                raise ValueError(f'request {subtype} to interface {of[0]} is refused')
            if kind == ACK:
                return answer

    def open(self, interface, index=0):
        self.request(PLAYER, 0, 3, struct.pack('>IIIIIII', 0, 0, interface, index, 1, 0, 0))


def main(host='localhost', port='6665'):
    client = Client(host, int(port))
    devices = client.request(PLAYER, 0, 1)
    print(f'{client.server}: {struct.unpack_from(">I", devices)[0]} devices')
    for interface in (POSITION2D, LASER, CAMERA):
        client.open(interface)
    client.send(POSITION2D, 0, COMMAND, 1, struct.pack('>dddI', 0.5, 0, 0.3, 1))  # m/s, m/s, rad/s; motors on
    seen, end = {}, None
    while len(seen) < 3 or seen[POSITION2D][0] < end:
        interface, _, kind, subtype, time, data = client.read()
        if kind == DATA:
            seen[interface] = time, data
            end = end or time + 2
    client.send(POSITION2D, 0, COMMAND, 1, bytes(28))
    x, y, heading, *_ = struct.unpack_from('>dddddd', seen[POSITION2D][1])
    print(f'odometry: {x:.2f} m, {y:.2f} m, {heading:.2f} rad')
    first, last, step, limit, count, _ = struct.unpack_from('>ffffII', seen[LASER][1])
    ranges = struct.unpack_from(f'>{count}f', seen[LASER][1], 24)
    print(f'laser: {count} beams from {first:.2f} to {last:.2f} rad, nearest {min(ranges):.2f} m')
    width, height, bits, *_ = struct.unpack_from('>IIIIIIII', seen[CAMERA][1])
    pixels = seen[CAMERA][1][32:32 + width * height * bits // 8]
    print(f'camera: {width} x {height} pixels, mean {sum(pixels) / len(pixels):.0f}')


main(*sys.argv[1:])
