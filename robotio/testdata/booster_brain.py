"""A brain for a Booster T1, written by the texts of Booster's public messages alone, on CycloneDDS: it switches the
motors on, looks for the ball with the head, turns to it, walks there and kicks. It prints what it does.

    python3 booster_brain.py DOMAIN"""
import dataclasses
import json
import math
import sys
import time
import uuid

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, float32, float64, int8, int32, int64, sequence, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration


def struct(name, /, **fields):
    name = name.replace("/", "::msg::dds_::") + "_"
    return dataclasses.dataclass(type(name, (IdlStruct,), {"__annotations__": fields}, typename=name))


Time = struct("builtin_interfaces/Time", sec=int32, nanosec=uint32)
Header = struct("std_msgs/Header", stamp=Time, frame_id=str)
Request = struct("booster_msgs/RpcReqMsg", uuid=str, header=str, body=str)
Response = struct("booster_msgs/RpcRespMsg", uuid=str, header=str, body=str)
Imu = struct("booster_interface/ImuState", rpy=array[float32, 3], gyro=array[float32, 3], acc=array[float32, 3])
Motor = struct("booster_interface/MotorState", mode=int8, q=float32, dq=float32, ddq=float32, tau_est=float32,
               temperature=int8, lost=uint32, reserve=array[uint32, 2])
LowState = struct("booster_interface/LowState", imu_state=Imu, motor_state_parallel=sequence[Motor],
                  motor_state_serial=sequence[Motor])
Object = struct("vision_interface/DetectedObject", label=str, color=str, confidence=float64, xmin=int64, ymin=int64,
                xmax=int64, ymax=int64, target_uv=sequence[float32], received_pos=sequence[float32],
                position=sequence[float32], position_projection=sequence[float32], position_cam=sequence[float32],
                position_confidence=int32)
Detections = struct("vision_interface/Detections", header=Header, detected_objects=sequence[Object],
                    radar_x=sequence[float32], radar_y=sequence[float32], corner_pos=sequence[float32])
Kick = struct("brain/Kick", header=Header, x=float64, y=float64, dir=float64, goal_x=float64, goal_y=float64,
              robot_theta_to_field=float64, power=float64)

participant = DomainParticipant(int(sys.argv[1]))
qos = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(10))
requests = DataWriter(participant, Topic(participant, "rt/LocoApiTopicReq", Request), qos=qos)
kicks = DataWriter(participant, Topic(participant, "rt/kick_ball", Kick), qos=qos)
responses = DataReader(participant, Topic(participant, "rt/LocoApiTopicResp", Response), qos=qos)
detections = DataReader(participant, Topic(participant, "rt/booster_soccer/detection", Detections), qos=qos)
states = DataReader(participant, Topic(participant, "rt/low_state", LowState), qos=qos)


def call(api_id, **body):
    request = Request(uuid=str(uuid.uuid4()), header=json.dumps({"api_id": api_id}), body=json.dumps(body))
    requests.write(request)
    return request.uuid


def ask(api_id, **body):
    """Sends a request, and returns the status and the body of its response."""
    while not (requests.get_matched_subscriptions() and responses.get_matched_publications()):
        time.sleep(0.01)
    wanted = call(api_id, **body)
    while True:
        for response in responses.take(10):
            if response.uuid == wanted:
                return json.loads(response.header)["status"], response.body
        time.sleep(0.005)


def say(*what):
    print(*what, flush=True)


say("prepare", *ask(2000, mode=1))
say("walk", *ask(2000, mode=2))
say("mode", *ask(2017))
say("unknown", *ask(2999))
say("misread", *ask(2001, vx=0.1))

yaw, ball, seen, kicked, began = 0.0, None, 0.0, 0.0, time.monotonic()
while True:
    now = time.monotonic()
    for state in states.take(100):
        yaw = state.motor_state_serial[0].q
    for message in detections.take(10):
        for thing in message.detected_objects:
            if thing.label == "Ball":
                if ball is None:
                    say("found the ball with the head at %.2f rad" % yaw)
                ball, seen = thing.position_projection, now
    if ball is None or now - seen > 2:
        call(2001, vx=0.0, vy=0.0, vyaw=0.0)
        call(2004, pitch=0.4, yaw=1.2 * math.sin(1.5 * (now - began)))
        time.sleep(0.05)
        continue
    distance, bearing = math.hypot(ball[0], ball[1]), math.atan2(ball[1], ball[0])
    call(2004, pitch=min(1.0, math.atan2(0.9, distance)), yaw=max(-1.2, min(1.2, bearing)))
    if kicked:
        if distance > 1.2:
            call(2001, vx=0.0, vy=0.0, vyaw=0.0)
            say("the ball is %.1f m away" % distance)
            break
        if now - kicked > 1:
            kicked = 0.0
    elif distance < 0.42 and abs(bearing) < 0.4:
        call(2001, vx=0.0, vy=0.0, vyaw=0.0)
        kicks.write(Kick(header=Header(stamp=Time(sec=0, nanosec=0), frame_id=""), x=ball[0], y=ball[1], dir=0.0,
                         goal_x=0.0, goal_y=0.0, robot_theta_to_field=0.0, power=6.0))
        say("kicks the ball at %.2f m" % distance)
        kicked = now
    elif abs(bearing) > 0.35:
        call(2001, vx=0.0, vy=0.0, vyaw=math.copysign(0.5, bearing))
    else:
        call(2001, vx=0.25, vy=0.0, vyaw=bearing)
    time.sleep(0.05)
