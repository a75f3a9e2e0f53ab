"""Runs MuJoCo's Python package with the inputs of one run, and prints qpos and qvel after every step, one JSON line each.

Usage: peer.py MODEL.xml < INPUT.json. The input has qpos, qvel and parts (of each step), and steps: for each, ctrl, and,
where they change, bias and damping (the model's arrays actuator_biasprm and dof_damping) or off (motors that rest).
"""
import json
import sys

import mujoco

model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
given = json.load(sys.stdin)
data.qpos[:], data.qvel[:] = given["qpos"], given["qvel"]
print(json.dumps(mujoco.__version__))
for step in given["steps"]:
    data.ctrl[:] = step["ctrl"]
    if step["bias"]:
        model.actuator_biasprm[:] = [step["bias"][i : i + 10] for i in range(0, 10 * model.nu, 10)]
        model.dof_damping[:] = step["damping"]
    if step["off"]:
        model.actuator_gainprm[:] = 0
        model.actuator_biasprm[:] = 0
    for _ in range(given["parts"]):
        mujoco.mj_step(model, data)
    print(json.dumps([list(data.qpos), list(data.qvel)]))
