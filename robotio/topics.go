package robotio

import "github.com/omnipitch/omnipitch/sensors"

// topics are the names that a sensor feeds, within its robot's namespace; empty ones do not apply.
type topics struct {
	image, cameraInfo string
	depth, depthInfo  string
	points            string
	vision            string // what vision would report
	odoInfo, odom     string
	imu               string
	reading           string // of the other devices
	pose              string // where a scanner's localisation has the robot
}

// readings are the topics of devices that NuBot's nodes do not know.
var readings = map[sensors.Kind]string{
	sensors.LaserScan: "scan", sensors.Heading: "compass", sensors.Arms: "dribbler", sensors.Bumpers: "bumper", sensors.Battery: "battery",
}

// topicsOf gives the first sensor of a kind the names that NuBot's nodes subscribe to, and further ones names of their
// own.
func topicsOf(cfg *sensors.Config, first bool) topics {
	n := cfg.Name
	switch cfg.Kind {
	case sensors.OmniCamera:
		if first {
			return topics{image: "camera/image_raw", vision: "omnivision/OmniVisionInfo"}
		}
		return topics{image: n + "/image_raw", vision: n + "/OmniVisionInfo"}
	case sensors.Camera:
		if first {
			return topics{image: "front_vision/image_raw", cameraInfo: "front_vision/camera_info", vision: "front_vision/FrontBallInfo"}
		}
		return topics{image: n + "/image_raw", cameraInfo: n + "/camera_info", vision: n + "/FrontBallInfo"}
	case sensors.Kinect:
		t := topics{
			image: n + "/rgb/image_raw", cameraInfo: n + "/rgb/camera_info",
			depth: n + "/depth/image_raw", depthInfo: n + "/depth/camera_info", points: n + "/depth/points", vision: n + "/ballinfo",
		}
		if first {
			t.vision = "kinect/ballinfo"
		}
		return t
	case sensors.Odometry:
		if first {
			return topics{odoInfo: "nubotdriver/odoinfo", odom: "odom"}
		}
		return topics{odoInfo: n + "/odoinfo", odom: n + "/odom"}
	case sensors.IMU:
		if first {
			return topics{imu: "imu"}
		}
		return topics{imu: n + "/imu"}
	}
	t := topics{reading: readings[cfg.Kind], pose: "laser_pose"}
	if !first {
		t.reading, t.pose = n+"/"+t.reading, n+"/pose"
	}
	return t
}

// under puts a name into a robot's namespace.
func under(robot, name string) string { return "/" + robot + "/" + name }
