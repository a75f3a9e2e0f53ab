package assess

import "strings"

// form says where messages of a type hold what a vision reports.
type form struct {
	typ   string
	parts []part
}

// part is one thing in such a message, or a list of things. Paths are those of fields below the part's list.
type part struct {
	kind     Kind // empty: its class says it
	byName   bool // the topic may say that it is something else
	each     string
	point    string // path above x, y and z
	bearing  string // in place of a point, with distance
	distance string
	turn     string // path above a quaternion's x, y, z and w
	angle    string // in place of it
	known    string // if it is 0, nothing is reported
	mine     string // if it is not the robot's number, it is not the robot itself
	score    string
	class    string                // what is detected, by classes
	classes  map[float64]detection // others are left out
	unit     float64               // m
	frame    string                // of the positions; empty: the header's frame_id
}

// detection is what a class of a detector is.
type detection struct {
	kind Kind
	id   string
}

// centimetre is the unit of NuBot's messages.
const centimetre = 0.01

// forms are the messages that are understood. What their fields mean was read in the sources of the packages that
// define them; classes of vision_msgs are those of profile standard, parameter /omnipitch/detection_classes.
var forms = []form{
	{"geometry_msgs/PoseStamped", []part{{kind: Self, byName: true, point: "pose.position.",
		turn: "pose.orientation."}}},
	{"geometry_msgs/PoseWithCovarianceStamped", []part{{kind: Self, byName: true, point: "pose.pose.position.",
		turn: "pose.pose.orientation."}}},
	{"nav_msgs/Odometry", []part{{kind: Self, byName: true, point: "pose.pose.position.",
		turn: "pose.pose.orientation."}}},
	{"geometry_msgs/Pose2D", []part{{kind: Self, byName: true, point: "", angle: "theta"}}},
	{"geometry_msgs/PointStamped", []part{{kind: Ball, byName: true, point: "point."}}},
	{"geometry_msgs/PoseArray", []part{{kind: Obstacles, byName: true, each: "poses", point: "position.",
		turn: "orientation."}}},
	{"vision_msgs/Detection3DArray", []part{{
		each: "detections", point: "results[0].pose.pose.position.", score: "results[0].score", class: "results[0].id",
		classes: map[float64]detection{0: {Ball, ""}, 1: {Obstacles, ""}, 2: {Obstacles, ""}, 3: {Obstacles, "cyan"},
			4: {Obstacles, "magenta"}},
	}}},
	{"nubot_common/OminiVisionInfo", []part{
		{kind: Self, each: "robotinfo", mine: "AgentID", known: "isvalid", point: "pos.", angle: "heading.theta",
			unit: centimetre, frame: "team"},
		{kind: Ball, bearing: "ballinfo.real_pos.angle", distance: "ballinfo.real_pos.radius",
			known: "ballinfo.ballinfostate", unit: centimetre, frame: "base_link"},
		{kind: Obstacles, each: "obstacleinfo.polar_pos", bearing: "angle", distance: "radius", unit: centimetre,
			frame: "base_link"},
	}},
	{"nubot_common/FrontBallInfo", []part{{kind: Ball, bearing: "real_pos.angle", distance: "real_pos.radius",
		known: "pos_known", unit: centimetre, frame: "base_link"}}},
	{"nubot_common/BallInfo3d", []part{{kind: Ball, point: "pos.", known: "pos_known_2d", unit: centimetre,
		frame: "base_link"}}},
	{"humanoid_league_msgs/BallRelative", []part{{kind: Ball, point: "ball_relative.", score: "confidence"}}},
	{"humanoid_league_msgs/ObstaclesRelative", []part{{
		kind: Obstacles, each: "obstacles", point: "position.", score: "confidence", class: "color",
		classes: map[float64]detection{0: {Obstacles, ""}, 1: {Obstacles, ""}, 2: {Obstacles, "magenta"},
			3: {Obstacles, "cyan"}, 4: {Obstacles, ""}, 5: {Obstacles, ""}},
	}}},
}

// kindsOf lists what messages of the form report on a topic: all that they hold, or what the topic says.
func (f *form) kindsOf(t *Topic) (all []Kind) {
	has := map[Kind]bool{}
	for i := range f.parts {
		p := &f.parts[i]
		if p.kind != "" {
			has[p.reports(t)] = true
		}
		for _, d := range p.classes {
			has[d.kind] = true
		}
	}
	for _, k := range Kinds {
		if has[k] && (t.Kind == "" || t.Kind == k) {
			all = append(all, k)
		}
	}
	return all
}

// reports returns what a part without classes reports on a topic.
func (p *part) reports(t *Topic) Kind {
	if !p.byName {
		return p.kind
	}
	if t.Kind != "" {
		return t.Kind
	}
	last := strings.ToLower(t.Name[strings.LastIndexByte(t.Name, '/')+1:])
	switch {
	case strings.Contains(last, "ball"):
		return Ball
	case strings.Contains(last, "obstacle"), strings.Contains(last, "robots"), strings.Contains(last, "opponent"):
		return Obstacles
	}
	return p.kind
}

// single tells whether the form says nothing where nothing is found, since its messages are one thing each.
func (f *form) single() bool {
	for i := range f.parts {
		if p := &f.parts[i]; p.each != "" || p.known != "" {
			return false
		}
	}
	return true
}
