package assess

import "strings"

// form maps the fields of a message type to reports.
type form struct {
	typ   string
	parts []part
}

// part maps one thing in a message, or a list of things. Paths are relative to an element of the part's list.
type part struct {
	kind     Kind // empty: the class of the thing determines the kind
	byName   bool // the topic's name or Topic.Kind may determine another kind
	each     string
	point    string // path of the parent of x, y and z
	bearing  string // instead of a point, with distance
	distance string
	turn     string // path of the parent of a quaternion's x, y, z and w
	angle    string // instead of turn
	known    string // path of a field; if the field is 0, nothing is reported
	mine     string // if it is not the robot's number, the thing is not the robot itself
	score    string
	class    string                // the detected class, a key of classes
	classes  map[float64]detection // by class; things of other classes are ignored
	unit     float64               // m
	frame    string                // frame of positions; empty: the header's frame_id
}

// detection is the meaning of a detector's class.
type detection struct {
	kind Kind
	id   string
}

// centimetre is the unit of NuBot's messages.
const centimetre = 0.01

// forms lists the supported messages. The meaning of fields is taken from the sources of the packages that define them.
// The classes of vision_msgs are those of profile standard, parameter /omnipitch/detection_classes.
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

// kindsOf lists the kinds that messages of the form report on a topic.
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

// reports returns the kind that a part without classes reports on a topic.
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

// single reports whether messages of the form describe one thing each, so that no message means that nothing was found.
func (f *form) single() bool {
	for i := range f.parts {
		if p := &f.parts[i]; p.each != "" || p.known != "" {
			return false
		}
	}
	return true
}
