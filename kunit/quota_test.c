// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of users: a user over a limit waits longer, the more users exceed it.
 */
#include <linux/cred.h>

#include "fake.h"

#include "nvfifo_quota.h"

#define USERS		20
#define FIRST_UID	70000

/* Open the account of a file that another user has opened. */
static struct nvfifo_quota *quota_of(struct kunit *test, struct nvfifo_device *ndev, u32 uid)
{
	struct nvfifo_quota *quota;
	const struct cred *old;
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);

	cred->uid = KUIDT_INIT(uid);
	old = override_creds(cred);
	quota = nvfifo_quota_create(ndev);
	revert_creds(old);
	put_cred(cred);
	KUNIT_ASSERT_NOT_NULL(test, quota);

	return quota;
}

/*
 * 60 ms of freezes are 1.2 s of a user's share, of which 1 s is free. Beside 19 users over the
 * limit they are 24 s, and the wait is the longest.
 */
static void quota_freezes(struct kunit *test)
{
	struct nvfifo_device *ndev = &nvfifo_test_card(test, 0x84)->ndev;
	struct nvfifo_quota *quotas[USERS], *alone;
	u32 i;

	alone = quota_of(test, ndev, FIRST_UID + USERS);
	nvfifo_quota_freeze(alone, 60 * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, nvfifo_quota_freeze_wait(alone), 200);

	for (i = 0; i < USERS; i++)
		quotas[i] = quota_of(test, ndev, FIRST_UID + i);

	for (i = 1; i < USERS; i++)
		nvfifo_quota_freeze(quotas[i], 1000 * NSEC_PER_MSEC);

	KUNIT_EXPECT_EQ(test, nvfifo_quota_freeze_wait(quotas[0]), 0);
	nvfifo_quota_freeze(quotas[0], 60 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, nvfifo_quota_freeze_wait(quotas[0]), 1000);

	for (i = 0; i < USERS; i++)
		nvfifo_quota_put(quotas[i]);

	nvfifo_quota_put(alone);
}

static struct kunit_case quota_cases[] = {
	KUNIT_CASE(quota_freezes),
	{}
};

static struct kunit_suite quota_suite = {
	.name = "nvfifo_quota",
	.test_cases = quota_cases,
};

kunit_test_suites(&quota_suite);
