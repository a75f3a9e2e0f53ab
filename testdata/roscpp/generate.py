"""Generates C++ headers from message and service definitions with ROS's own gencpp, as catkin does in a team's build.

usage: generate.py OUT FOLDER...   where each FOLDER holds PACKAGE/*.msg and PACKAGE/*.srv
"""
import os
import sys

import genmsg.template_tools
import gencpp  # the templates below import it; fail early and in one place

TEMPLATES = '/usr/share/gencpp'
# Packages that libroscpp-dev brings along.
INSTALLED = ('std_msgs', 'rosgraph_msgs', 'std_srvs', 'tf2_msgs')


def main(out, folders):
    packages = [(p, os.path.join(folder, p)) for folder in folders for p in os.listdir(folder)]
    include = ['%s:%s' % p for p in packages]
    for package, path in packages:
        if package in INSTALLED:
            continue
        into = os.path.join(out, package)
        os.makedirs(into, exist_ok=True)
        for name in sorted(os.listdir(path)):
            genmsg.template_tools.generate_from_file(
                os.path.join(path, name), package, into, TEMPLATES, include,
                {'msg.h.template': '@NAME@.h'}, {'srv.h.template': '@NAME@.h'})


main(sys.argv[1], sys.argv[2:])
