"""A CycloneDDS peer in Python with the arguments and output of testdata/ddspeer/programs/cyclone.c echo.

It leaves out the user data and the formats: its own definitions of the types below must have the same encoding."""
import dataclasses
import sys
import time

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, float32, float64, int32, sequence, uint32, uint8
from cyclonedds.pub import DataWriter, Publisher
from cyclonedds.sub import DataReader, Subscriber
from cyclonedds.topic import Topic
from cyclonedds.util import duration


types = {}  # by the names of DDS


def struct(name, /, **fields):
    name = name.replace("/", "::msg::dds_::") + "_"
    types[name] = dataclasses.dataclass(type(name, (IdlStruct,), {"__annotations__": fields}, typename=name))
    return types[name]


Time = struct("builtin_interfaces/Time", sec=int32, nanosec=uint32)
Header = struct("std_msgs/Header", stamp=Time, frame_id=str)
Vector3 = struct("geometry_msgs/Vector3", x=float64, y=float64, z=float64)
Point = struct("geometry_msgs/Point", x=float64, y=float64, z=float64)
Quaternion = struct("geometry_msgs/Quaternion", x=float64, y=float64, z=float64, w=float64)
Pose = struct("geometry_msgs/Pose", position=Point, orientation=Quaternion)
PoseWithCovariance = struct("geometry_msgs/PoseWithCovariance", pose=Pose, covariance=array[float64, 36])
Transform = struct("geometry_msgs/Transform", translation=Vector3, rotation=Quaternion)
TransformStamped = struct("geometry_msgs/TransformStamped", header=Header, child_frame_id=str, transform=Transform)
Region = struct("sensor_msgs/RegionOfInterest", x_offset=uint32, y_offset=uint32, height=uint32, width=uint32,
                do_rectify=bool)
Point2D = struct("vision_msgs/Point2D", x=float64, y=float64)
Pose2D = struct("vision_msgs/Pose2D", position=Point2D, theta=float64)
BoundingBox2D = struct("vision_msgs/BoundingBox2D", center=Pose2D, size_x=float64, size_y=float64)
Hypothesis = struct("vision_msgs/ObjectHypothesis", class_id=str, score=float64)
HypothesisWithPose = struct("vision_msgs/ObjectHypothesisWithPose", hypothesis=Hypothesis, pose=PoseWithCovariance)
Detection2D = struct("vision_msgs/Detection2D", header=Header, results=sequence[HypothesisWithPose],
                     bbox=BoundingBox2D, id=str)
nine = array[float64, 9]
struct("sensor_msgs/Image", header=Header, height=uint32, width=uint32, encoding=str, is_bigendian=uint8,
       step=uint32, data=sequence[uint8])
struct("sensor_msgs/CameraInfo", header=Header, height=uint32, width=uint32, distortion_model=str,
       d=sequence[float64], k=nine, r=nine, p=array[float64, 12], binning_x=uint32, binning_y=uint32, roi=Region)
struct("sensor_msgs/LaserScan", header=Header, angle_min=float32, angle_max=float32, angle_increment=float32,
       time_increment=float32, scan_time=float32, range_min=float32, range_max=float32, ranges=sequence[float32],
       intensities=sequence[float32])
struct("sensor_msgs/Imu", header=Header, orientation=Quaternion, orientation_covariance=nine,
       angular_velocity=Vector3, angular_velocity_covariance=nine, linear_acceleration=Vector3,
       linear_acceleration_covariance=nine)
struct("tf2_msgs/TFMessage", transforms=sequence[TransformStamped])
struct("rosgraph_msgs/Clock", clock=Time)
struct("geometry_msgs/Twist", linear=Vector3, angular=Vector3)
struct("sensor_msgs/JointState", header=Header, name=sequence[str], position=sequence[float64],
       velocity=sequence[float64], effort=sequence[float64])
struct("vision_msgs/Detection2DArray", header=Header, detections=sequence[Detection2D])

domain, reliable, latched = int(sys.argv[2]), sys.argv[3] == "1", sys.argv[4] == "1"
qos = Qos(Policy.Reliability.Reliable(duration(seconds=1)) if reliable else Policy.Reliability.BestEffort,
          Policy.Durability.TransientLocal if latched else Policy.Durability.Volatile, Policy.History.KeepLast(100))
participant = DomainParticipant(domain)
publisher, subscriber, ends = Publisher(participant), Subscriber(participant), []
for topic, typ in zip(sys.argv[6::3], sys.argv[7::3]):
    writer = DataWriter(publisher, Topic(participant, topic + "_back", types[typ]), qos=qos)
    ends.append((topic, DataReader(subscriber, Topic(participant, topic, types[typ]), qos=qos), writer))
print("ready", flush=True)
while True:
    for topic, reader, writer in ends:
        for sample in reader.take(10):
            while reliable and not latched and not writer.get_matched_subscriptions():
                time.sleep(0.001)
            writer.write(sample)
            print("echoed", topic, flush=True)
    time.sleep(0.001)
