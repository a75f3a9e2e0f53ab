"""Prints what MuJoCo's Python package reads in MJCF and URDF files, as JSON. Standard input has a list of files."""
import json
import os
import re
import struct
import sys

import numpy

os.environ["MUJOCO_GL"] = "disable"
import mujoco  # noqa: E402


def rotation(quat):
    matrix = numpy.zeros(9)
    mujoco.mju_quat2Mat(matrix, quat)
    return matrix.reshape(3, 3)


def tetrahedron():
    """A mesh, which stands for those that are not beside a file."""
    corners = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    return b"\0" * 80 + struct.pack("<I", 4) + b"".join(b"\0" * 12 + corners[f].tobytes() + b"\0\0" for f in faces)


def load(file):
    """A URDF is that of a robot without a fixed base: its links without joints keep their names."""
    with open(file) as f:
        text = f.read()
    if file.endswith(".urdf"):
        settings = '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false"/></mujoco>'
        at = text.index(">", text.index("<robot")) + 1
        return mujoco.MjSpec.from_string(text[:at] + settings + text[at:])
    folder = os.path.dirname(file)
    meshes = re.findall(r'<mesh[^>]*file="([^"]*)"', text)
    directory = re.search(r'meshdir="([^"]*)"', text)
    missing = {}
    for name in meshes:
        at = os.path.join(directory.group(1) if directory else "", name)
        if not os.path.exists(os.path.join(folder, at)):
            missing[at] = tetrahedron()
    return mujoco.MjSpec.from_string(text, assets=missing) if missing else mujoco.MjSpec.from_file(file)


def read(file, seed):
    spec = load(file)
    # compiling overwrites the turn of a tensor, and so does the parser of URDF, in whose files it must be none
    none = numpy.array([1.0, 0, 0, 0])
    turns = {b.name: none if file.endswith(".urdf") else b.iquat / numpy.linalg.norm(b.iquat) for b in spec.bodies}
    model = spec.compile()
    data = mujoco.MjData(model)
    random = numpy.random.default_rng(seed)
    data.qpos[:] = model.qpos0
    joints = [j for j in range(model.njnt) if model.jnt_type[j] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)]
    for j in joints:
        data.qpos[model.jnt_qposadr[j]] += random.uniform(-0.5, 0.5)
    mujoco.mj_kinematics(model, data)
    result = {"bodies": {}, "joints": {}, "geoms": [], "positions": {}, "actuators": []}
    for b in range(1, model.nbody):
        axes = rotation(model.body_iquat[b])
        tensor = axes @ numpy.diag(model.body_inertia[b]) @ axes.T
        # MuJoCo turns a tensor that is given as a whole into its principal axes, to 1e-8: this is what it has read
        given = spec.bodies[b]
        if given.explicitinertial and not numpy.isnan(given.fullinertia).any():
            xx, yy, zz, xy, xz, yz = given.fullinertia
            axes = rotation(turns[given.name])
            tensor = axes @ numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T
        result["bodies"][model.body(b).name] = {
            "mass": [model.body_mass[b]],
            "centre": model.body_ipos[b].tolist() if model.body_mass[b] else [0.0] * 3,
            "tensor": tensor.flatten().tolist(),
            "place": numpy.hstack([data.xmat[b].reshape(3, 3), data.xpos[b].reshape(3, 1)]).flatten().tolist(),
        }
    for j in joints:
        dof = model.jnt_dofadr[j]
        name = model.joint(j).name
        result["positions"][name] = data.qpos[model.jnt_qposadr[j]]
        result["joints"][name] = {
            "body": model.body(model.jnt_bodyid[j]).name,
            "axis": model.jnt_axis[j].tolist(),
            "point": model.jnt_pos[j].tolist(),
            "range": model.jnt_range[j].tolist() if model.jnt_limited[j] else None,
            "dynamics": [model.dof_damping[dof], model.dof_frictionloss[dof], model.dof_armature[dof]],
            "effort": model.jnt_actfrcrange[j].tolist() if model.jnt_actfrclimited[j] else None,
        }
    kinds = {mujoco.mjtGeom.mjGEOM_SPHERE: 1, mujoco.mjtGeom.mjGEOM_CAPSULE: 2, mujoco.mjtGeom.mjGEOM_CYLINDER: 2,
             mujoco.mjtGeom.mjGEOM_ELLIPSOID: 3, mujoco.mjtGeom.mjGEOM_BOX: 3}
    for g in range(model.ngeom):
        kind = int(model.geom_type[g])
        if kind in kinds and model.geom_bodyid[g] > 0:
            turn = rotation(model.geom_quat[g])
            result["geoms"].append({
                "body": model.body(model.geom_bodyid[g]).name,
                "kind": mujoco.mjtGeom(kind).name[7:].lower(),
                "size": model.geom_size[g][:kinds[kind]].tolist(),
                "place": numpy.hstack([turn, model.geom_pos[g].reshape(3, 1)]).flatten().tolist(),
                "friction": model.geom_friction[g][0],
                "collides": bool(model.geom_contype[g] or model.geom_conaffinity[g]),
            })
    for a in range(model.nu):
        limited = bool(model.actuator_forcelimited[a])
        result["actuators"].append({
            "joint": model.joint(model.actuator_trnid[a][0]).name if model.actuator_trntype[a] == 0 else "",
            "force": model.actuator_forcerange[a].tolist() if limited else None,
            "gear": model.actuator_gear[a][0],
        })
    return result


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = read(request["file"], request["seed"])
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), flush=True)
