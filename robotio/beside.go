package robotio

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// BesideProfiles is what `ros profiles` calls the topics and services that every simulation has.
const BesideProfiles = "simulation"

// BesideText describes them, with the definitions of types that no ROS installation has.
func BesideText() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# What every simulation has on ROS 1, whatever the profiles of its robots. World files do "+
		"not name it.\n")
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "topic\t%s\trosgraph_msgs/Clock\tlatched, after every step or [time] clock_hz times a sim second\n",
		clockTopic)
	fmt.Fprintf(tw, "topic\t%s\tomnipitch_msgs/Speed\tlatched, at every change and ten times a second of wall time\n",
		speedTopic)
	fmt.Fprintf(tw, "service\t%s\tomnipitch_msgs/Predict\n", predictService)
	fmt.Fprintf(tw, "service\t%s\tstd_srvs/SetBool\ttrue stops sim time, false lets it go on\n", pauseService)
	fmt.Fprintf(tw, "service\t%s\tomnipitch_msgs/Step\n", stepService)
	fmt.Fprintf(tw, "service\t%s\tomnipitch_msgs/Seek\tof a replay alone\n", seekService)
	fmt.Fprintf(tw, "parameter\t/use_sim_time\ttrue\n")
	tw.Flush()
	types, err := msg.Load("std")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, file := range []string{"omnipitch_msgs/Speed.msg", "omnipitch_msgs/Predict.srv", "omnipitch_msgs/Step.srv",
		"omnipitch_msgs/Seek.srv"} {
		source, _ := types.Source(file)
		fmt.Fprintf(&text, "== %s\n%s", file, source)
	}
	return text.String()
}
