"""Prints what yourdfpy reads in URDF files, in the frame of the root link. Standard input has a list of files, each with
configurations of its joints, as JSON."""
import json
import logging
import sys

import numpy
import yourdfpy


def pose(matrix):
    return numpy.eye(4) if matrix is None else matrix


def shapes(elements):
    """Shapes of size 0 are none."""
    all = []
    for e in elements:
        g = e.geometry
        if g.box is not None:
            size = g.box.size
        elif g.cylinder is not None:
            size = [g.cylinder.radius, g.cylinder.length]
        elif g.sphere is not None:
            size = [g.sphere.radius]
        else:
            size = numpy.ones(3) * (1 if g.mesh.scale is None else g.mesh.scale)
        if numpy.all(size):
            all.append(pose(e.origin)[:3].flatten().tolist() + [float(s) for s in size] + [0.0] * (3 - len(size)))
    return all


def read(file, configurations):
    urdf = yourdfpy.URDF.load(file, load_meshes=False, mesh_dir="")
    links = {n: {"visuals": shapes(l.visuals), "collisions": shapes(l.collisions)} for n, l in urdf.link_map.items()}
    states = []
    for positions in configurations:
        urdf.update_cfg({n: float(positions[n]) for n in urdf.actuated_joint_names})
        state = {}
        for name, link in urdf.link_map.items():
            at = urdf.get_transform(name)
            state[name] = {"pose": at[:3].flatten().tolist()}
            if link.inertial is not None:
                c, tensor = at @ pose(link.inertial.origin), link.inertial.inertia
                tensor = numpy.zeros((3, 3)) if tensor is None else tensor
                state[name]["mass"] = [link.inertial.mass, *c[:3, 3], *(c[:3, :3] @ tensor @ c[:3, :3].T).flatten()]
        for j in urdf.joint_map.values():
            if j.type != "fixed":
                axis = numpy.asarray(j.axis, float)
                state[j.child]["axis"] = (urdf.get_transform(j.child)[:3, :3] @ (axis / numpy.linalg.norm(axis))).tolist()
        states.append(state)
    return {"links": links, "states": states}


logging.disable(logging.CRITICAL)
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = read(request["file"], request["positions"])
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), flush=True)
