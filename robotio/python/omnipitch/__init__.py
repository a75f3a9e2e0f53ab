"""Simulated robots and their sensors, as numpy arrays.

    import omnipitch

    with omnipitch.Sim("nubot-attack", seed=1, levels={"*": "objects"}) as sim:
        sim.do("drive", robot="cyan1", vx_m_s=1.0)
        observations = sim.step(33)                    # ms of sim time
        print(observations["cyan1.omni"].detections)   # a structured array
        print(sim.truth.ball_pos_w)                    # m, in the world frame

`Sim` is one running world. `Batch` runs several worlds of one process in parallel. `Tasks` are worlds in which agents
learn. All start the program omnipitch, which ends with the Python program.

Units are SI and radians, except where the name of a key in a world file says otherwise: fields of actions and keys of
worlds have the names and the units of world files. Frames are those of the Go code: W is the world, B the robot's body,
and C the optical frame of a camera.
"""

from ._assess import assess
from ._camera import Camera, Picture
from ._dataset import Dataset
from ._process import Error, SimulationError, WorldError
from ._recording import Recording
from ._sensor import OwnObservation
from ._sim import Batch, Observation, Observations, Sim, State, Verdict
from ._task import Tasks

__all__ = ["Batch", "Camera", "Dataset", "Error", "Observation", "Observations", "OwnObservation", "Picture", "Recording",
           "Sim", "SimulationError", "State", "Tasks", "Verdict", "WorldError", "assess"]
