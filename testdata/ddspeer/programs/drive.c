// drive is a robot's program on CycloneDDS, for tests: it answers each message on /clock by a command to its robot.
//
//	drive DOMAIN ROBOT
#include <dds/dds.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Clock is rosgraph_msgs/Clock.
typedef struct {
	int32_t sec;
	uint32_t nanosec;
} Clock;

static const uint32_t clock_ops[] = {
	DDS_OP_ADR | DDS_OP_TYPE_4BY | DDS_OP_FLAG_SGN, offsetof(Clock, sec),
	DDS_OP_ADR | DDS_OP_TYPE_4BY, offsetof(Clock, nanosec),
	DDS_OP_RTS,
};

// Twist is geometry_msgs/Twist: three linear and three angular components.
typedef struct {
	double v[6];
} Twist;

static const uint32_t twist_ops[] = {
	DDS_OP_ADR | DDS_OP_TYPE_8BY | DDS_OP_FLAG_FP, 0,
	DDS_OP_ADR | DDS_OP_TYPE_8BY | DDS_OP_FLAG_FP, 8,
	DDS_OP_ADR | DDS_OP_TYPE_8BY | DDS_OP_FLAG_FP, 16,
	DDS_OP_ADR | DDS_OP_TYPE_8BY | DDS_OP_FLAG_FP, 24,
	DDS_OP_ADR | DDS_OP_TYPE_8BY | DDS_OP_FLAG_FP, 32,
	DDS_OP_ADR | DDS_OP_TYPE_8BY | DDS_OP_FLAG_FP, 40,
	DDS_OP_RTS,
};

static const dds_topic_descriptor_t clock_type = {
	.m_size = sizeof(Clock), .m_align = 4, .m_typename = "rosgraph_msgs::msg::dds_::Clock_",
	.m_nops = 3, .m_ops = clock_ops, .m_meta = "",
}, twist_type = {
	.m_size = sizeof(Twist), .m_align = 8, .m_typename = "geometry_msgs::msg::dds_::Twist_",
	.m_nops = 7, .m_ops = twist_ops, .m_meta = "",
};

static dds_entity_t check(dds_entity_t e, const char *what)
{
	if (e < 0) {
		fprintf(stderr, "%s: %s\n", what, dds_strretcode(-e));
		exit(1);
	}
	return e;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	char topic[64];
	snprintf(topic, sizeof topic, "rt/%s/cmd_vel", argv[2]);
	dds_entity_t p = check(dds_create_participant(atoi(argv[1]), NULL, NULL), "participant");
	dds_qos_t *q = dds_create_qos();
	dds_qset_reliability(q, DDS_RELIABILITY_RELIABLE, DDS_MSECS(100));
	dds_qset_history(q, DDS_HISTORY_KEEP_LAST, 10);
	dds_entity_t commands = check(dds_create_topic(p, &twist_type, topic, NULL, NULL), "topic");
	dds_entity_t clock = check(dds_create_topic(p, &clock_type, "rt/clock", NULL, NULL), "topic");
	dds_entity_t writer = check(dds_create_writer(p, commands, q, NULL), "writer");
	dds_entity_t reader = check(dds_create_reader(p, clock, q, NULL), "reader");
	dds_entity_t set = check(dds_create_waitset(p), "waitset");
	dds_set_status_mask(reader, DDS_DATA_AVAILABLE_STATUS);
	check(dds_waitset_attach(set, reader, 0), "attach");
	for (;;) {
		dds_attach_t which;
		dds_waitset_wait(set, &which, 1, DDS_SECS(1));
		void *sample = NULL;
		dds_sample_info_t info;
		while (dds_take(reader, &sample, &info, 1, 1) > 0) {
			const Clock *now = sample;
			Twist command = {{sin(now->sec + now->nanosec * 1e-9), 0, 0, 0, 0, strlen(argv[2]) * 0.1}};
			if (info.valid_data)
				check(dds_write(writer, &command), "write");
			dds_return_loan(reader, &sample, 1);
			sample = NULL;
		}
	}
}
