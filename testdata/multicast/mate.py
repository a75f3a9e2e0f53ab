"""A robot's program that tells its mates its name by UDP multicast, beside omnipitch run team-multicast; it needs Python 3 alone.

    mate.py cyan1 224.16.32.32 20001     what a robot is called, and where its mates and it send and listen: on a robot, all at one place

It opens its socket as CAMBADA's RTDB does: of one interface, here loopback, with a port that others may share. Ten times a second it sends its name with a
number, and once a second it prints how many messages of each mate it has got, and the newest.
"""
import socket
import struct
import sys
import time


def open_socket(group, port, interface='127.0.0.1'):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(interface))
    s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack('4s4s', socket.inet_aton(group), socket.inet_aton(interface)))
    s.bind(('', port))
    return s


def main(name, group, port):
    s = open_socket(group, port)
    number, heard, newest = 0, {}, {}
    begun = time.monotonic()
    while True:
        if number % 10 == 0 and number:
            print('%s: %s' % (name, ', '.join('hears %s %d times, newest %d' % (mate, heard[mate], newest[mate]) for mate in sorted(heard)) or 'hears nobody'), flush=True)
            heard = {}
        s.sendto(b'%s %d' % (name.encode(), number), (group, port))
        number += 1
        while (left := begun + number / 10 - time.monotonic()) > 0:
            s.settimeout(left)
            try:
                sender, count = s.recv(65536).decode().split()
            except socket.timeout:
                break
            if sender != name:  # its own come back on loopback
                heard[sender], newest[sender] = heard.get(sender, 0) + 1, int(count)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
