package rcsssmj

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// motorNames are the league's names of motors, in the order in which agents get the joints: head, arms, waist and legs.
var motorNames = []string{"he1", "he2", "lae1", "lae2", "lae3", "lae4", "rae1", "rae2", "rae3", "rae4", "te1", "lle1",
	"lle2", "lle3", "lle4", "lle5", "lle6", "rle1", "rle2", "rle3", "rle4", "rle5", "rle6"}

// booster are the joints of these motors in the league's robots, T1 and K1, in Booster's MJCF files. If there are two,
// the first is the T1's. Source: the robots of rcssservermj 0.2.1.
var booster = map[string][]string{"he1": {"AAHead_yaw"}, "he2": {"Head_pitch"},
	"lae1": {"Left_Shoulder_Pitch", "ALeft_Shoulder_Pitch"}, "lae2": {"Left_Shoulder_Roll"},
	"lae3": {"Left_Elbow_Pitch"}, "lae4": {"Left_Elbow_Yaw"},
	"rae1": {"Right_Shoulder_Pitch", "ARight_Shoulder_Pitch"}, "rae2": {"Right_Shoulder_Roll"},
	"rae3": {"Right_Elbow_Pitch"}, "rae4": {"Right_Elbow_Yaw"}, "te1": {"Waist"},
	"lle1": {"Left_Hip_Pitch"}, "lle2": {"Left_Hip_Roll"}, "lle3": {"Left_Hip_Yaw"}, "lle4": {"Left_Knee_Pitch"},
	"lle5": {"Left_Ankle_Pitch"}, "lle6": {"Left_Ankle_Roll"},
	"rle1": {"Right_Hip_Pitch"}, "rle2": {"Right_Hip_Roll"}, "rle3": {"Right_Hip_Yaw"}, "rle4": {"Right_Knee_Pitch"},
	"rle5": {"Right_Ankle_Pitch"}, "rle6": {"Right_Ankle_Roll"}}

// motor is a motor of a robot that agents command, and whose joint they sense.
type motor struct {
	name  string // the effector's
	sense string // the perceptor's: q_hj1 is the joint of he1
	joint int    // index in physics.Robot.Joints
}

// motorsOf returns the motors of a robot, by the world's table or, without one, of Booster's robots.
func motorsOf(w *worlds.World, r *physics.Robot) (all []motor) {
	for _, name := range motorNames {
		joints := booster[name]
		if len(w.RCSSSMJ.Motors) > 0 {
			joints = []string{w.RCSSSMJ.Motors[name]}
		}
		for _, joint := range joints {
			if i := r.Joint(joint); i >= 0 && r.Joints[i].Commanded() {
				part := len(name) - 2
				all = append(all, motor{name: name, sense: "q_" + name[:part] + "j" + name[part+1:], joint: i})
				break
			}
		}
	}
	return all
}

// Check returns an error if a world's table rcsssmj names a motor that the league does not have, or a joint that no
// robot has.
func Check(w *worlds.World) error {
	if !w.NoErrorAt("rcsssmj") || !w.NoErrorAt("robot") || len(w.RCSSSMJ.Motors) == 0 {
		return nil
	}
	var joints []string
	model := w.Model()
	for i := range model.Robots {
		joints = append(joints, model.Robots[i].JointNames()...)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(w.RCSSSMJ.Motors)) {
		joint := w.RCSSSMJ.Motors[name]
		wrong := func(rule string) {
			errs = append(errs, &schema.Violation{Path: "rcsssmj.motors", Key: name, Value: joint, Rule: rule})
		}
		switch {
		case !slices.Contains(motorNames, name):
			wrong(fmt.Sprintf("no such motor: must be one of %s", strings.Join(motorNames, ", ")))
		case len(joints) > 0 && !slices.Contains(joints, joint):
			wrong("no robot has such a joint" + rules.DidYouMean(joint, joints))
		}
	}
	return w.Locate(errors.Join(errs...))
}
