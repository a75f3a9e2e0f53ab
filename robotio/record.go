package robotio

import (
	"context"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// RecordService is the name, relative to the bridge's node, of the service that switches recording on or off.
const RecordService = "record"

// record serves the action action.Record as a service of type std_srvs/SetBool, which every ROS installation has.
func (b *Bridge) record(n *ros1.Node) error {
	return b.closeLater(ros1.Serve(n, n.Name()+"/"+RecordService, "std_srvs/SetBool",
		func(_ context.Context, q *msg.SetBoolRequest) (*msg.SetBoolResponse, error) {
			if err := b.sim.Do(&action.Record{On: q.Data}); err != nil {
				return &msg.SetBoolResponse{Message: err.Error()}, nil
			}
			return &msg.SetBoolResponse{Success: true}, nil
		}))
}
