package robotio

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// OwnTopicsName is the name under which `ros profiles` lists the topics and services that every simulation has.
const OwnTopicsName = "simulation"

// OwnTopicsText describes the topics and services that every simulation has. It includes the definitions of the message
// types that no ROS installation has.
func OwnTopicsText() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Topics and services that every simulation has on ROS 1, in addition to the profiles of its "+
		"robots. World files do not name them.\n")
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "topic\t%s\trosgraph_msgs/Clock\tlatched, after every step or [time] clock_hz times a sim second\n",
		clockTopic)
	fmt.Fprintf(tw, "topic\t%s\tomnipitch_msgs/Speed\tlatched, at every change and ten times a second of wall time\n",
		speedTopic)
	fmt.Fprintf(tw, "service\t%s\tomnipitch_msgs/Predict\n", predictService)
	fmt.Fprintf(tw, "service\t%s\tstd_srvs/SetBool\ttrue pauses sim time, false resumes it\n", pauseService)
	fmt.Fprintf(tw, "service\t%s\tstd_srvs/Trigger\ta paused simulation takes one step\n", stepService)
	fmt.Fprintf(tw, "service\t%s\tomnipitch_msgs/Step\ta paused simulation takes several steps\n", stepsService)
	fmt.Fprintf(tw, "service\t%s\tomnipitch_msgs/Seek\tonly in replays\n", seekService)
	fmt.Fprintf(tw, "parameter\t/use_sim_time\ttrue\n")
	tw.Flush()
	types, err := msg.Load("std")
	if err != nil {
		panic(err) // the definitions are embedded
	}
	for _, file := range []string{"omnipitch_msgs/Speed.msg", "omnipitch_msgs/Predict.srv", "omnipitch_msgs/Step.srv",
		"omnipitch_msgs/Seek.srv"} {
		source, _ := types.Source(file)
		fmt.Fprintf(&text, "== %s\n%s", file, source)
	}
	return text.String()
}
